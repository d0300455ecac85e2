#pragma once
#include <stdint.h>

// The calls and words of libcanberra that a ring needs, as canberra.h has them. Written out, since whoever builds tests
// of an extension need not have that header; the library is opened when there is something to hear.
typedef struct ca_context ca_context;
typedef struct ca_proplist ca_proplist;

enum {
    CA_SUCCESS = 0,
    CA_ERROR_NOTSUPPORTED = -1,
    CA_ERROR_STATE = -3,
    CA_ERROR_NODRIVER = -5,
    CA_ERROR_SYSTEM = -6,
    CA_ERROR_CORRUPT = -7,
    CA_ERROR_TOOBIG = -8,
    CA_ERROR_NOTFOUND = -9,
    CA_ERROR_DESTROYED = -10,
    CA_ERROR_CANCELED = -11,
    CA_ERROR_NOTAVAILABLE = -12,
    CA_ERROR_IO = -14,
    CA_ERROR_DISCONNECTED = -18,
};

#define CA_PROP_APPLICATION_ID "application.id"
#define CA_PROP_APPLICATION_NAME "application.name"
#define CA_PROP_CANBERRA_CACHE_CONTROL "canberra.cache-control"
#define CA_PROP_CANBERRA_VOLUME "canberra.volume"
#define CA_PROP_EVENT_DESCRIPTION "event.description"
#define CA_PROP_EVENT_ID "event.id"
#define CA_PROP_MEDIA_FILENAME "media.filename"
#define CA_PROP_MEDIA_NAME "media.name"
#define CA_PROP_MEDIA_ROLE "media.role"

struct ccanberra_calls {
    int (*context_create)(ca_context **context);
    int (*context_destroy)(ca_context *context);
    int (*context_open)(ca_context *context);
    int (*context_change_props_full)(ca_context *context, ca_proplist *properties);
    int (*context_change_device)(ca_context *context, const char *device);
    int (*context_play_full)(
        ca_context *context, uint32_t id, ca_proplist *properties,
        void (*finished)(ca_context *context, uint32_t id, int error, void *userdata), void *userdata);
    int (*context_cancel)(ca_context *context, uint32_t id);
    int (*proplist_create)(ca_proplist **properties);
    int (*proplist_sets)(ca_proplist *properties, const char *key, const char *value);
    int (*proplist_destroy)(ca_proplist *properties);
    const char *(*error_text)(int error);
};
