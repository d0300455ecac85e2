#pragma once
#include <stddef.h>
#include <stdint.h>

// What pictures need of gdk-pixbuf and GLib, as gdk-pixbuf/gdk-pixbuf.h, glib-object.h and glib.h have it. Written out,
// since the headers are found by pkg-config, whose -pthread SwiftPM refuses with a warning in everybody's build.

typedef struct _GdkPixbuf GdkPixbuf;
typedef struct _GdkPixbufLoader GdkPixbufLoader;
typedef struct _GError GError;

enum { GDK_COLORSPACE_RGB = 0 };

GdkPixbufLoader *gdk_pixbuf_loader_new_with_type(const char *type, GError **error);
int gdk_pixbuf_loader_write(GdkPixbufLoader *loader, const unsigned char *bytes, size_t count, GError **error);
int gdk_pixbuf_loader_close(GdkPixbufLoader *loader, GError **error);
void gdk_pixbuf_loader_set_size(GdkPixbufLoader *loader, int width, int height);
GdkPixbuf *gdk_pixbuf_loader_get_pixbuf(GdkPixbufLoader *loader);

GdkPixbuf *gdk_pixbuf_new(int colorspace, int has_alpha, int bits_per_sample, int width, int height);
void gdk_pixbuf_fill(GdkPixbuf *pixels, uint32_t colour);
GdkPixbuf *gdk_pixbuf_apply_embedded_orientation(GdkPixbuf *pixels);
int gdk_pixbuf_get_width(const GdkPixbuf *pixels);
int gdk_pixbuf_get_height(const GdkPixbuf *pixels);
int gdk_pixbuf_get_rowstride(const GdkPixbuf *pixels);
int gdk_pixbuf_get_n_channels(const GdkPixbuf *pixels);
size_t gdk_pixbuf_get_byte_length(const GdkPixbuf *pixels);
const uint8_t *gdk_pixbuf_read_pixels(const GdkPixbuf *pixels);
int gdk_pixbuf_save_to_bufferv(
    GdkPixbuf *pixels, char **buffer, size_t *count, const char *type, char **keys, char **values, GError **error);

void g_free(void *memory);
void g_object_unref(void *object);
unsigned long g_signal_connect_data(
    void *object, const char *signal, void (*handler)(void), void *context, void (*destroy)(void *, void *), int flags);
void g_log_set_writer_func(
    int (*writer)(int level, const void *fields, size_t count, void *context), void *context, void (*destroy)(void *));

/// Has GLib say nothing: what a decoder complains about would quote a stranger's bytes.
static inline int cpixbuf_say_nothing(int level, const void *fields, size_t count, void *context) {
    (void)level, (void)fields, (void)count, (void)context;
    const int handled = 1;
    return handled;
}

static inline void cpixbuf_silence_log(void) {
    g_log_set_writer_func(cpixbuf_say_nothing, NULL, NULL);
}

/// Told the size a decoder found, before it decodes.
typedef void (*cpixbuf_size_function)(GdkPixbufLoader *loader, int width, int height, void *context);

static inline void cpixbuf_on_size(GdkPixbufLoader *loader, cpixbuf_size_function function, void *context) {
    g_signal_connect_data(loader, "size-prepared", (void (*)(void))function, context, NULL, 0);
}

/// Encodes as PNG at a level of zlib's, into a buffer for g_free.
static inline int cpixbuf_save_as_png(GdkPixbuf *pixels, const char *level, char **buffer, size_t *count) {
    char *keys[] = {"compression", NULL};
    char *values[] = {(char *)level, NULL};
    return gdk_pixbuf_save_to_bufferv(pixels, buffer, count, "png", keys, values, NULL);
}
