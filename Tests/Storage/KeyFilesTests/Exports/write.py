"""Writes a file of exported keys as docs/keys.md describes it, with the package cryptography (OpenSSL in Python): python write.py > FILE

Its content and its random values are fixed. The key is the secret key of Bob in RFC 7748, section 6.1.
"""

import base64
import json

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

PASSPHRASE = "correct horse battery"
SECRET_KEY = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def z85(data):
    numbers = (int.from_bytes(data[i : i + 4], "big") for i in range(0, len(data), 4))
    return "".join(Z85[number // 85**power % 85] for number in numbers for power in (4, 3, 2, 1, 0))


def text(data):
    return base64.b64encode(data).decode()


cost = {"n": 1 << 17, "r": 8, "p": 1}
salt, nonce = bytes(range(32)), bytes(range(12))
content = {"created": "2026-11-18T07:06:40Z", "registry": text(b"{}"), "rig": "barn", "secretKey": z85(SECRET_KEY)}
key = Scrypt(salt=salt, length=32, **cost).derive(PASSPHRASE.encode())
sealed = nonce + ChaCha20Poly1305(key).encrypt(nonce, json.dumps(content).encode(), None)
print(json.dumps({"caprigKeys": 1, "salt": text(salt), "sealed": text(sealed), **cost}, indent=2, sort_keys=True))
