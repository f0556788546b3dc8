/// libcrypto of OpenSSL 3, plus functions for what Swift does not import of it: macros and variadic functions.
#ifndef CAPRIG_COPENSSL_H
#define CAPRIG_COPENSSL_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stddef.h>

/// `EVP_EC_gen(3)` for the curve P-256.
EVP_PKEY *caprig_p256_generate(void);

/// `PEM_read_bio_PrivateKey(3)` without a passphrase: it never asks for one on the terminal.
EVP_PKEY *caprig_read_private_key(BIO *source);

/// `BIO_get_mem_data(3)`: what was written to a memory BIO, valid until the BIO is written to or freed.
///
/// Returns the number of bytes; `data` is NULL if there are none.
size_t caprig_memory(BIO *memory, const unsigned char **data);

/// Adds an extension from its text form by `X509V3_EXT_nconf_nid(3)` and `X509_add_ext(3)`. Returns 1 on success.
int caprig_add_extension(X509 *certificate, int nid, const char *value);

/// `sk_GENERAL_NAME_new_null(3)`.
GENERAL_NAMES *caprig_names_new(void);

/// `sk_GENERAL_NAME_push(3)`. Returns 1 if `names` owns `name` then, 0 if the caller still does.
int caprig_names_append(GENERAL_NAMES *names, GENERAL_NAME *name);

/// `sk_GENERAL_NAME_num(3)`.
int caprig_names_count(const GENERAL_NAMES *names);

/// `sk_GENERAL_NAME_value(3)`.
const GENERAL_NAME *caprig_names_get(const GENERAL_NAMES *names, int index);

#endif
