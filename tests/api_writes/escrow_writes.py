"""Every write of the escrow service."""

from tests.api_writes.write_calls import (
    AGREEMENT,
    BUYER,
    ESCROW,
    SELLER,
    Write,
    ask_agreement,
    ask_customer,
    ask_ticket,
)

ESCROW_WRITES = [
    Write(
        "agreement create",
        ask_agreement,
        f"POST {ESCROW}/agreements",
        {
            "trace_id": "tr-1",
            "currency_code": "IRR",
            "redirect_url": "https://shop.example/done",
            "description": "a bicycle",
            "creator": "buyer",
            "deposit_price": 5_000_000,
            "payer": "buyer",
            "payment_method": "full-pay",
            "parties": [
                {"role": "buyer", "mobile": BUYER, "iban": "IR1"},
                {"role": "seller", "mobile": SELLER, "iban": "IR2"},
            ],
            "items": [
                {
                    "title": "bicycle",
                    "category": "general",
                    "price": "5000000",
                    "quantity": 1,
                    "link": "https://shop.example/b",
                    "attachments": ["https://shop.example/b.jpg"],
                }
            ],
        },
        (201, {"message": "", "data": AGREEMENT}),
        lambda a: (a.tracking_code, a.state) == ("4711", "draft"),
        "agreement_create tr-1",
    ),
    Write(
        "agreement approve",
        lambda p: p.agreements.approve("4711", SELLER),
        f"POST {ESCROW}/agreements/4711",
        {"action": "agree", "applicant_mobile": SELLER},
        (200, {"message": "", "data": {"web_view_link": "https://pay.example/x"}}),
        lambda link: link == "https://pay.example/x",
        f"agreement_approve 4711 {SELLER}",
    ),
    Write(
        "agreement reject",
        lambda p: p.agreements.reject("4711", SELLER),
        f"POST {ESCROW}/agreements/4711",
        {"action": "reject", "applicant_mobile": SELLER},
        (200, {"message": "rejected"}),
        lambda message: message == "rejected",
        f"agreement_reject 4711 {SELLER}",
    ),
    Write(
        "agreement finalize",
        lambda p: p.agreements.finalize("4711", BUYER),
        f"POST {ESCROW}/agreements/4711/finalize",
        {"buyer_mobile": BUYER},
        (200, {"message": "", "data": {"is_finalized": True}}),
        lambda nothing: nothing is None,
        f"agreement_finalize 4711 {BUYER}",
    ),
    Write(
        "agreement cancel",
        lambda p: p.agreements.cancel("4711", SELLER),
        f"POST {ESCROW}/agreements/4711/cancel",
        {"applicant_mobile": SELLER},
        (200, {"message": "", "data": {"is_canceled": True}}),
        lambda nothing: nothing is None,
        f"agreement_cancel 4711 {SELLER}",
    ),
    Write(
        "customer create",
        ask_customer,
        f"POST {ESCROW}/customers",
        {
            "first_name": "Sara",
            "last_name": "Karimi",
            "national_code": "0012345678",
            "mobile": BUYER,
            "birth_date": "13700131",
        },
        (201, {"message": "created"}),
        lambda message: message == "created",
    ),
    Write(
        "ticket create",
        ask_ticket,
        f"POST {ESCROW}/tickets",
        {
            "agreement_tracking_code": "4711",
            "reporter_mobile": BUYER,
            "ticket_type_slug": "dispute_with_seller",
            "redirect_url": "https://shop.example/t",
            "description": "it is broken",
            "callback": "https://shop.example/c",
        },
        (
            201,
            {
                "message": "",
                "data": {
                    "ticket_uid": 9,
                    "button": {
                        "type": "redirect_url",
                        "link": "https://shop.example/t",
                        "text": "back",
                    },
                },
            },
        ),
        lambda t: (t.ticket_uid, t.button_text) == ("9", "back"),
    ),
    Write(
        "webhook create",
        lambda p: p.webhooks.create("https://shop.example/w", ["agreement_created"]),
        f"POST {ESCROW}/webhooks",
        {"url": "https://shop.example/w", "events": ["agreement_created"]},
        (
            201,
            {
                "message": "",
                "data": {
                    "id": 3,
                    "url": "https://shop.example/w",
                    "is_active": True,
                    "events": [{"slug": "agreement_created", "title": "Created"}],
                },
            },
        ),
        lambda w: (w.id, w.slugs) == ("3", ["agreement_created"]),
    ),
    Write(
        "webhook update",
        lambda p: p.webhooks.update(
            "3", url="https://shop.example/w", is_active=False, events=["x"]
        ),
        f"PUT {ESCROW}/webhooks/3",
        {"url": "https://shop.example/w", "is_active": False, "events": ["x"]},
        (200, {"url": "https://shop.example/w", "events": ["x"], "is_active": False}),
        lambda w: (w.is_active, w.slugs, w.id) == (False, ["x"], None),
    ),
    Write(
        "webhook delete",
        lambda p: p.webhooks.delete("3"),
        f"DELETE {ESCROW}/webhooks/3",
        None,
        (200, {"message": "gone"}),
        lambda message: message == "gone",
    ),
]
