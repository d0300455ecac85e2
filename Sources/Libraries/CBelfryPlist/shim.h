#pragma once
#include <plist/plist.h>

// libplist's calls as its own header types them, for whoever opens the library himself. Nothing here refers to a symbol
// of the library, so nothing is linked.
struct cplist_calls {
    __typeof__(&plist_from_bin) from_bin;
    __typeof__(&plist_free) free;
    __typeof__(&plist_get_node_type) get_node_type;
    __typeof__(&plist_get_bool_val) get_bool_val;
    __typeof__(&plist_get_uint_val) get_uint_val;
    __typeof__(&plist_get_real_val) get_real_val;
    __typeof__(&plist_get_date_val) get_date_val;
    __typeof__(&plist_get_uid_val) get_uid_val;
    __typeof__(&plist_get_string_ptr) get_string_ptr;
    __typeof__(&plist_get_data_ptr) get_data_ptr;
    __typeof__(&plist_array_new_iter) array_new_iter;
    __typeof__(&plist_array_next_item) array_next_item;
    __typeof__(&plist_dict_new_iter) dict_new_iter;
    __typeof__(&plist_dict_next_item) dict_next_item;
    __typeof__(&plist_to_xml) to_xml;
    __typeof__(&plist_to_xml_free) to_xml_free;
};
