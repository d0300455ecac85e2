#pragma once
#include <canberra.h>

// libcanberra's calls as its own header types them, for whoever opens the library himself. Nothing here refers to a
// symbol of the library, so nothing is linked.
struct ccanberra_calls {
    __typeof__(&ca_context_create) context_create;
    __typeof__(&ca_context_destroy) context_destroy;
    __typeof__(&ca_context_open) context_open;
    __typeof__(&ca_context_change_props_full) context_change_props_full;
    __typeof__(&ca_context_play_full) context_play_full;
    __typeof__(&ca_context_cancel) context_cancel;
    __typeof__(&ca_proplist_create) proplist_create;
    __typeof__(&ca_proplist_sets) proplist_sets;
    __typeof__(&ca_proplist_destroy) proplist_destroy;
    __typeof__(&ca_strerror) error_text;
};
