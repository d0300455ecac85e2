#pragma once
#include <gdk-pixbuf/gdk-pixbuf.h>

/// Has GLib say nothing: what a decoder complains about would quote a stranger's bytes.
static inline GLogWriterOutput cpixbuf_say_nothing(
    GLogLevelFlags level, const GLogField *fields, gsize count, gpointer context) {
    (void)level, (void)fields, (void)count, (void)context;
    return G_LOG_WRITER_HANDLED;
}

static inline void cpixbuf_silence_log(void) {
    g_log_set_writer_func(cpixbuf_say_nothing, NULL, NULL);
}

/// Told the size a decoder found, before it decodes.
typedef void (*cpixbuf_size_function)(GdkPixbufLoader *loader, int width, int height, gpointer context);

static inline void cpixbuf_on_size(GdkPixbufLoader *loader, cpixbuf_size_function function, gpointer context) {
    g_signal_connect(loader, "size-prepared", G_CALLBACK(function), context);
}

/// Encodes as PNG at a level of zlib's, into a buffer for g_free.
static inline gboolean cpixbuf_save_as_png(GdkPixbuf *pixels, const char *level, gchar **buffer, gsize *count) {
    char *keys[] = {"compression", NULL};
    char *values[] = {(char *)level, NULL};
    return gdk_pixbuf_save_to_bufferv(pixels, buffer, count, "png", keys, values, NULL);
}
