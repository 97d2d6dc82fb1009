#ifndef HOMEROOM_CCURL_H
#define HOMEROOM_CCURL_H

#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take arguments of any type, which Swift cannot pass.
static inline CURLcode curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *pointer) {
    return curl_easy_setopt(handle, option, pointer);
}
// How many seconds the server asks to be left alone (Retry-After); 0 if it does not say.
static inline CURLcode curl_retry_after(CURL *handle, curl_off_t *seconds) {
    return curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, seconds);
}
static inline CURLcode curl_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

// What receives bytes of an answer; fewer than given end the call.
typedef size_t (*curl_receiver)(char *bytes, size_t size, size_t count, void *user);
static inline CURLcode curl_set_receiver(CURL *handle, CURLoption option, curl_receiver receiver) {
    return curl_easy_setopt(handle, option, receiver);
}

// What opens the socket to an address that a name was resolved to; CURL_SOCKET_BAD refuses the address.
typedef curl_socket_t (*curl_opener)(void *user, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode curl_set_opener(CURL *handle, curl_opener opener) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
}

#endif
