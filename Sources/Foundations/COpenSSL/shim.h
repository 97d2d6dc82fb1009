#ifndef HOMEROOM_COPENSSL_H
#define HOMEROOM_COPENSSL_H

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>

// A parameter only points at its name and value, which a call from Swift would not keep alive.
static inline int openssl_hmac_sha256_init(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, length, parameters);
}

// Answers http/1.1; a client that offers only others is refused with no_application_protocol (RFC 7301).
static inline int openssl_choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
    unsigned int offered_length, void *unused) {
    static const unsigned char known[] = "\x08http/1.1";
    int outcome = SSL_select_next_proto(
        (unsigned char **)chosen, length, known, sizeof known - 1, offered, offered_length);
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Nobody sits at a terminal to type the password of a key.
static inline int openssl_no_password(char *buffer, int size, int writing, void *unused) { return 0; }

// A server's context with what most of the functions used here are macros for; NULL without memory.
// - TLS 1.2 with ephemeral keys and authenticated ciphers only, and TLS 1.3. No early data: it can be replayed.
// - Sessions are resumed out of the memory that all loops share, never by tickets that carry them under a key
//   of the server's: who learned that key later could read what was recorded before.
// - One write makes one record and may be repeated from another address; idle connections hold no buffers.
static inline SSL_CTX *openssl_server_context(long sessions, long session_seconds) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL) return NULL;
    int is_set = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20")
        && SSL_CTX_set_ciphersuites(
            context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256")
        && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384")
        && SSL_CTX_set_session_id_context(context, (const unsigned char *)"homeroom", 8)
        && SSL_CTX_set_max_early_data(context, 0);
    if (!is_set) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET
            | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_SERVER);
    SSL_CTX_sess_set_cache_size(context, sessions);
    SSL_CTX_set_timeout(context, session_seconds);
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
            | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_alpn_select_cb(context, openssl_choose_protocol, NULL);
    SSL_CTX_set_default_passwd_cb(context, openssl_no_password);
    return context;
}

// The socket under a connection, as OpenSSL's own one does not report that it is empty, and raises SIGPIPE.
struct openssl_socket {
    int descriptor;
    // How many bytes may still be received; the owner adds to it for data that was worth it.
    int allowance;
    // Whether the last receive took everything there was.
    int is_drained;
    // Whether the peer has ended its side.
    int has_ended;
};

static inline int openssl_socket_read(BIO *bio, char *buffer, int size) {
    struct openssl_socket *own = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (own->allowance <= 0) return -1;
    ssize_t count;
    do count = recv(own->descriptor, buffer, (size_t)size, 0); while (count < 0 && errno == EINTR);
    own->is_drained = count < size;
    if (count > 0) own->allowance -= (int)count;
    if (count == 0) own->has_ended = 1;
    if (count < 0 && errno == EAGAIN) BIO_set_retry_read(bio);
    return (int)count;
}

static inline int openssl_socket_write(BIO *bio, const char *buffer, int size) {
    struct openssl_socket *own = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t count;
    do count = send(own->descriptor, buffer, (size_t)size, MSG_NOSIGNAL); while (count < 0 && errno == EINTR);
    if (count < 0 && errno == EAGAIN) BIO_set_retry_write(bio);
    return (int)count;
}

static inline long openssl_socket_control(BIO *bio, int command, long number, void *pointer) {
    return command == BIO_CTRL_FLUSH;
}

// How OpenSSL is to use such a socket; made once, NULL without memory.
static inline BIO_METHOD *openssl_socket_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket of a loop");
    if (method == NULL) return NULL;
    BIO_meth_set_read(method, openssl_socket_read);
    BIO_meth_set_write(method, openssl_socket_write);
    BIO_meth_set_ctrl(method, openssl_socket_control);
    return method;
}

// The server's side of a connection over a socket that outlives it; NULL without memory.
static inline SSL *openssl_accepting(SSL_CTX *context, BIO_METHOD *method, struct openssl_socket *socket) {
    SSL *ssl = SSL_new(context);
    BIO *bio = BIO_new(method);
    if (ssl == NULL || bio == NULL) {
        SSL_free(ssl);
        BIO_free(bio);
        return NULL;
    }
    BIO_set_data(bio, socket);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_accept_state(ssl);
    return ssl;
}

#endif
