#include "COpenSSL.h"

EVP_PKEY *caprig_p256_generate(void) {
    return EVP_EC_gen("P-256");
}

static int no_passphrase(char *buffer, int size, int is_writing, void *context) {
    (void)buffer, (void)size, (void)is_writing, (void)context;
    return -1;
}

EVP_PKEY *caprig_read_private_key(BIO *source) {
    return PEM_read_bio_PrivateKey(source, NULL, no_passphrase, NULL);
}

size_t caprig_memory(BIO *memory, const unsigned char **data) {
    char *start = NULL;
    long count = BIO_get_mem_data(memory, &start);
    *data = (const unsigned char *)start;
    return start != NULL && count > 0 ? (size_t)count : 0;
}

int caprig_add_extension(X509 *certificate, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

GENERAL_NAMES *caprig_names_new(void) {
    return sk_GENERAL_NAME_new_null();
}

int caprig_names_append(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name) > 0;
}

int caprig_names_count(const GENERAL_NAMES *names) {
    return sk_GENERAL_NAME_num(names);
}

const GENERAL_NAME *caprig_names_get(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}
