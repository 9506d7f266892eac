"""Lists and details of the sandbox: envelopes, order, filters, credentials."""

from typing import Any

import httpx
import pytest

from recon.errors import UsageError
from recon.sandbox.server import serve
from recon.sandbox.terms import Terms
from tests.sandbox.small_world import (
    ESCROW,
    MPG,
    NOW,
    UNIFIED,
    agreement,
    checkout,
    client_of,
    clock,
    escrow_get,
    escrow_headers,
    get,
    mandate,
    method,
    payment,
    post,
    run,
    small_world,
)


def many_checkouts(count: int) -> dict[str, Any]:
    return {f"checkout-{at}": checkout(at) for at in range(1, count + 1)}


def test_checkouts_come_newest_first_with_meta() -> None:
    world = small_world(checkouts=many_checkouts(5))
    body = get(world, f"{MPG}/checkouts?page=2&per_page=2").json()
    assert [row["id"] for row in body["data"]] == ["checkout-3", "checkout-2"]
    assert body["meta"] == {
        "current_page": 2,
        "from": 3,
        "last_page": 3,
        "links": body["meta"]["links"],
        "path": f"http://sandbox.test{MPG}/checkouts",
        "per_page": 2,
        "to": 4,
        "total": 5,
    }
    assert [link["label"] for link in body["meta"]["links"]] == [
        "&laquo; Previous",
        "1",
        "2",
        "3",
        "Next &raquo;",
    ]


def test_a_page_past_the_end_is_empty_without_from_and_to() -> None:
    body = get(small_world(), f"{MPG}/checkouts?page=9").json()
    assert body["data"] == []
    assert body["meta"]["from"] is None
    assert body["meta"]["to"] is None
    assert body["meta"]["total"] == 1


@pytest.mark.parametrize("number", [2, 10**18 - 1])
def test_a_page_far_past_the_end_is_empty_too(number: int) -> None:
    body = escrow_get(small_world(), f"{ESCROW}/agreements?page={number}").json()
    assert body["data"] == []
    assert body["meta"]["total"] == 1


def test_an_empty_list_has_one_empty_page() -> None:
    body = get(small_world(checkouts={}), f"{MPG}/checkouts").json()
    assert body["data"] == []
    assert body["meta"]["last_page"] == 1
    assert body["meta"]["total"] == 0


def test_list_parameters_may_come_as_a_json_body() -> None:
    async def ask() -> httpx.Response:
        async with client_of(small_world(checkouts=many_checkouts(5))) as client:
            return await client.request(
                "GET",
                f"{MPG}/checkouts",
                json={"page": 2, "per_page": 3},
                headers=UNIFIED,
            )

    body = run(ask()).json()
    assert [row["id"] for row in body["data"]] == ["checkout-2", "checkout-1"]
    assert body["meta"]["per_page"] == 3


@pytest.mark.parametrize("query", ["page=0", "page=x", "per_page=0", "per_page=-1"])
def test_a_page_that_is_no_number_from_one_is_refused(query: str) -> None:
    answer = get(small_world(), f"{MPG}/checkouts?{query}")
    assert answer.status_code == 422
    assert answer.json()["code"] == "validation_error"


def test_list_amount_is_digits_and_debit_names_its_mandate_only() -> None:
    row = get(small_world(), f"{MPG}/checkouts").json()["data"][0]
    assert row["amount"] == "1000000"
    assert row["payments"][0]["amount"] == 1_000_000
    assert row["payments"][0]["debit"] == {"mandate_id": "mandate-1"}


def test_detail_holds_the_whole_mandate_of_a_debit_payment() -> None:
    answer = get(small_world(), f"{MPG}/checkouts/checkout-1").json()
    row = answer["data"]["checkout"]
    assert row["amount"] == "1000000"
    assert row["payments"][0]["debit"] == {"mandate": mandate()}


def test_detail_of_an_unknown_mandate_keeps_its_id() -> None:
    lost = payment(debit={"mandate_id": "lost"})
    world = small_world(checkouts={"c": checkout(id="c", payments=[lost])})
    row = get(world, f"{MPG}/checkouts/c").json()["data"]["checkout"]
    assert row["payments"][0]["debit"] == {"mandate_id": "lost"}


def test_private_keys_are_never_shown() -> None:
    hidden = payment(_callback_url="https://shop.example/back")
    world = small_world(
        checkouts={"c": checkout(id="c", payments=[hidden], _token="t")},
        mandates={"m": mandate(_token="t")},
        agreements={"T": agreement(_redirect_url="https://shop.example")},
    )
    answers = [
        get(world, f"{MPG}/{path}").text
        for path in ("checkouts", "checkouts/c", "mandates")
    ] + [escrow_get(world, f"{ESCROW}/agreements").text]
    assert not [text for text in answers if '"_' in text]


def test_a_page_follows_a_change_made_behind_its_back() -> None:
    world = small_world()

    async def ask() -> list[str]:
        async with client_of(world) as client:
            first = await client.get(f"{MPG}/checkouts", headers=UNIFIED)
            world.checkouts["checkout-1"]["payments"][0]["status"] = "restated"
            second = await client.get(f"{MPG}/checkouts", headers=UNIFIED)
            return [
                answer.json()["data"][0]["payments"][0]["status"]
                for answer in (first, second)
            ]

    assert run(ask()) == ["done", "restated"]


@pytest.mark.parametrize("path", ["checkouts/none", "mandates/none"])
def test_an_unknown_unified_record_is_404(path: str) -> None:
    answer = get(small_world(), f"{MPG}/{path}")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found_error"


def test_mandates_are_listed_and_shown() -> None:
    world = small_world()
    assert get(world, f"{MPG}/mandates").json()["data"] == [mandate()]
    shown = get(world, f"{MPG}/mandates/mandate-1").json()
    assert shown["data"]["mandate"] == mandate()


def slugs(query: str, *methods: Any) -> list[str]:
    world = small_world(payment_methods=list(methods))
    body = get(world, f"{MPG}/payment-methods?{query}").json()
    return [row["slug"] for row in body["data"]]


def test_payment_methods_pass_the_filters_that_are_sent() -> None:
    debit, credit, sick = (
        method(limit=100),
        method("credit", limit=200),
        method("card", is_healthy=False, limit=300),
    )
    every = ["debit-blue", "credit-blue", "card-blue"]
    assert slugs("", debit, credit, sick) == every
    assert slugs("types[]=debit&types[]=card", debit, credit, sick) == [
        "debit-blue",
        "card-blue",
    ]
    assert slugs("types=credit", debit, credit, sick) == ["credit-blue"]
    assert slugs("limit=200", debit, credit, sick) == every[1:]
    assert slugs("limit=201", debit, credit, sick) == every[2:]
    assert slugs("is_healthy=true", debit, credit, sick) == every[:2]
    assert slugs("is_healthy=0", debit, credit, sick) == every[2:]
    assert slugs("modes[]=once", debit, method(slug="twice", modes=[])) == every[:1]


def test_payment_methods_show_the_mandates_of_the_mobile() -> None:
    path = f"{MPG}/payment-methods?types=debit"
    mine = get(small_world(), f"{path}&mobile=09120000001").json()["data"][0]
    other = get(small_world(), f"{path}&mobile=09120000009").json()["data"][0]
    revoked = small_world(mandates={"m": mandate(status="revoked")})
    gone = get(revoked, f"{path}&mobile=09120000001").json()["data"][0]
    assert mine["debit"]["mandates"] == [mandate()]
    assert other["debit"]["mandates"] == []
    assert gone["debit"]["mandates"] == []


def test_a_wrong_filter_is_refused_with_its_field() -> None:
    answer = get(small_world(), f"{MPG}/payment-methods?types=gold&mobile=9120000001")
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {"types", "mobile"}


@pytest.mark.parametrize("path", ["checkouts", "mandates", "payment-methods"])
@pytest.mark.parametrize("headers", [{}, {"x-api-key": "wrong"}])
def test_unified_without_its_key_is_401(path: str, headers: dict[str, str]) -> None:
    answer = get(small_world(), f"{MPG}/{path}", headers)
    assert answer.status_code == 401
    assert answer.json() == {
        "message": "Unauthenticated.",
        "code": "unauthenticated_error",
    }


def test_another_business_is_not_found() -> None:
    path = "/mpg/v1/business/other/checkouts"
    assert get(small_world(), path).status_code == 404


def test_agreements_have_links_and_meta_of_15_rows() -> None:
    rows = {f"T{at:05d}": agreement(at) for at in range(1, 32)}
    body = escrow_get(
        small_world(agreements=rows), f"{ESCROW}/agreements?page=2"
    ).json()
    path = f"http://sandbox.test{ESCROW}/agreements"
    assert list(body) == ["data", "links", "meta", "message"]
    assert [row["tracking_code"] for row in body["data"]][:2] == ["T00016", "T00015"]
    assert body["links"] == {
        "first": f"{path}?page=1",
        "last": f"{path}?page=3",
        "prev": f"{path}?page=1",
        "next": f"{path}?page=3",
    }
    assert body["meta"]["per_page"] == 15
    assert body["meta"]["to"] == 30
    last = escrow_get(small_world(agreements=rows), f"{ESCROW}/agreements?page=3")
    assert last.json()["links"]["next"] is None
    assert len(last.json()["data"]) == 1


def test_long_lists_leave_out_links_in_the_middle() -> None:
    rows = {f"T{at:05d}": agreement(at) for at in range(1, 15 * 30 + 1)}
    world = small_world(agreements=rows)
    meta = escrow_get(world, f"{ESCROW}/agreements?page=15").json()["meta"]
    labels = [link["label"] for link in meta["links"]][1:-1]
    assert labels == [
        *("1", "2", "..."),
        *(str(number) for number in range(12, 19)),
        *("...", "29", "30"),
    ]


def test_creator_is_shown_in_show_and_not_in_the_list() -> None:
    world = small_world()
    listed = escrow_get(world, f"{ESCROW}/agreements").json()["data"][0]
    shown = escrow_get(world, f"{ESCROW}/agreements/T00001").json()["data"]
    assert "creator" not in listed
    assert shown["creator"] == "buyer"
    assert shown["amount"] == 7_000_000


def test_customers_keep_their_birth_date_to_the_service() -> None:
    world = small_world()
    listed = escrow_get(world, f"{ESCROW}/customers").json()["data"]
    shown = escrow_get(world, f"{ESCROW}/customers/2").json()["data"]
    assert [row["uid"] for row in listed] == [2, 1]
    assert shown == listed[0]
    assert "birth_date" not in shown


@pytest.mark.parametrize("uid", ["3", "x", "١", "1" * 5000])
def test_an_unknown_escrow_customer_is_400(uid: str) -> None:
    answer = escrow_get(small_world(), f"{ESCROW}/customers/{uid}")
    assert answer.status_code == 400
    assert answer.json()["code"] == "user_not_found"


def test_escrow_without_a_token_is_401() -> None:
    answer = get(small_world(), f"{ESCROW}/agreements", {"authorization": "Bearer no"})
    assert answer.status_code == 401
    assert answer.json() == {"error": "Unauthenticated"}


def test_an_access_token_ends_after_its_seconds() -> None:
    world = small_world()

    async def ask() -> list[int]:
        async with client_of(world, terms=Terms(token_seconds=60)) as client:
            headers = await escrow_headers(client)
            codes = []
            for seconds in (59, 60):
                world.now = clock(NOW + seconds)
                answer = await client.get(f"{ESCROW}/customers", headers=headers)
                codes.append(answer.status_code)
            return codes

    assert run(ask()) == [200, 401]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 201),
        ({"client_id": "1001"}, 201),
        ({"client_id": 7}, 401),
        ({"client_secret": "wrong"}, 401),
        ({"client_secret": None}, 422),
        ({"grant_type": "password"}, 422),
    ],
)
def test_a_token_needs_the_clients_own_secret(change: Any, status: int) -> None:
    body = {
        "grant_type": "client_credentials",
        "client_id": 1001,
        "client_secret": "sandbox-escrow-secret",
    }
    answer = post(small_world(), "/sso/oauth/token", body | change)
    assert answer.status_code == status
    if status == 201:
        assert answer.json()["token_type"] == "Bearer"
        assert answer.json()["expires_in"] == 3600


def test_an_unknown_path_is_json_too() -> None:
    answer = get(small_world(), "/nowhere")
    assert answer.status_code == 404
    assert answer.json() == {"message": "Not Found"}


def test_serving_takes_a_free_port_and_gives_it_back() -> None:
    with serve(small_world()) as running:
        path = f"{running.base_url}{MPG}/checkouts"
        answer = httpx.get(path, headers=UNIFIED)
        assert answer.json()["meta"]["path"] == path
        with (
            pytest.raises(UsageError, match="cannot listen"),
            serve(small_world(), port=running.port),
        ):
            pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(path, headers=UNIFIED)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "example.org", "::"])
def test_serving_refuses_a_host_that_is_not_loopback(host: str) -> None:
    with (
        pytest.raises(UsageError, match="not loopback"),
        serve(small_world(), host=host),
    ):
        pass


def test_ten_thousand_checkouts_are_served_fast_and_whole() -> None:
    world = small_world(checkouts=many_checkouts(10_000))
    seen: set[str] = set()
    with serve(world) as running, httpx.Client(headers=UNIFIED) as client:
        for number in range(1, 101):
            answer = client.get(
                f"{running.base_url}{MPG}/checkouts",
                params={"page": number, "per_page": 100},
            )
            seen.update(row["id"] for row in answer.json()["data"])
    assert seen == set(world.checkouts)
