"""What an event's signature is, and whether it fits. Pure.

Source: document 1, Events. The key is the business's public English name, and neither
a time nor an id is signed: whoever knows the name can forge a delivery, and whoever
saw one can send it again. A good signature says that the body arrived whole.
"""

import base64
import hashlib
import hmac


def sign(body: bytes, business: str) -> str:
    """Return the signature of a raw body: Base64 of its raw HMAC-SHA256 digest."""
    digest = hmac.new(business.encode(), body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def fits(body: bytes, signature: bytes, business: str) -> bool:
    """Tell whether a header's raw value signs this raw body, in constant time."""
    return hmac.compare_digest(sign(body, business).encode(), signature)
