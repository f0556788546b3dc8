/// FFmpeg's functions under their own names, each of which loads its library when it is called for the first time: a
/// program that makes no movie and scales no picture runs on a machine without FFmpeg, and starts without its hundred
/// libraries.
///
/// A function whose library is missing fails like one without memory, and `caprig_av_missing` says why.

// dlinfo.
#define _GNU_SOURCE
#include "CLibAV.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// What is called of libavformat, and of libavcodec and libavutil, which it brings along.
#define FORMAT_FUNCTIONS(EACH) \
    EACH(av_channel_layout_default) EACH(av_dict_free) EACH(av_dict_get) EACH(av_dict_set) EACH(av_find_input_format) \
    EACH(av_frame_alloc) EACH(av_frame_free) EACH(av_free) EACH(av_freep) EACH(av_log_format_line2) \
    EACH(av_log_set_callback) EACH(av_malloc) EACH(av_mallocz) EACH(av_opt_set) EACH(av_packet_alloc) \
    EACH(av_packet_free) EACH(av_packet_get_side_data) EACH(av_packet_rescale_ts) EACH(av_packet_unref) \
    EACH(av_read_frame) EACH(av_rescale_q) EACH(av_stream_get_side_data) EACH(av_stream_new_side_data) \
    EACH(av_strerror) EACH(av_write_frame) EACH(av_write_trailer) EACH(avcodec_alloc_context3) \
    EACH(avcodec_find_decoder) EACH(avcodec_flush_buffers) EACH(avcodec_free_context) EACH(avcodec_get_name) \
    EACH(avcodec_open2) EACH(avcodec_receive_frame) EACH(avcodec_send_packet) EACH(avformat_alloc_context) \
    EACH(avformat_alloc_output_context2) EACH(avformat_close_input) EACH(avformat_find_stream_info) \
    EACH(avformat_free_context) EACH(avformat_new_stream) EACH(avformat_open_input) EACH(avformat_write_header) \
    EACH(avio_alloc_context) EACH(avio_context_free) EACH(avio_flush)

/// What is called of libswscale.
#define SCALE_FUNCTIONS(EACH) EACH(sws_freeContext) EACH(sws_getContext) EACH(sws_scale)

#define POINTER(name) __typeof__(&name) name;
static struct { FORMAT_FUNCTIONS(POINTER) } format;
static struct { SCALE_FUNCTIONS(POINTER) } scale;

static char missing[512];
static pthread_mutex_t missing_mutex = PTHREAD_MUTEX_INITIALIZER;

static void tell_missing(const char *package) {
    const char *reason = dlerror();
    pthread_mutex_lock(&missing_mutex);
    if (!missing[0]) {
        snprintf(missing, sizeof missing, "FFmpeg's libraries are missing; install the package %s (%s)", package,
                 reason ? reason : "no reason given");
    }
    pthread_mutex_unlock(&missing_mutex);
}

// The versions that the headers are of: another one has other structures.
#define FORMAT_VERSION AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)
#define SCALE_VERSION AV_STRINGIFY(LIBSWSCALE_VERSION_MAJOR)

#define FORMAT_LIBRARY "libavformat.so." FORMAT_VERSION
#define FORMAT_PACKAGE "libavformat" FORMAT_VERSION

static bool has_format, has_scale;

#define FIND(name) found = (table->name = (__typeof__(table->name))dlsym(library, #name)) && found;

static void load_format(void) {
    __typeof__(format) *table = &format;
    void *library = dlopen(FORMAT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool found = library;
    if (library) { FORMAT_FUNCTIONS(FIND) }
    if (!found) tell_missing(FORMAT_PACKAGE);
    has_format = found;
}

static void load_scale(void) {
    __typeof__(scale) *table = &scale;
    void *library = dlopen("libswscale.so." SCALE_VERSION, RTLD_NOW | RTLD_LOCAL);
    bool found = library;
    if (library) { SCALE_FUNCTIONS(FIND) }
    if (!found) tell_missing("libswscale" SCALE_VERSION);
    has_scale = found;
}

static bool format_is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_format);
    return has_format;
}

static bool scale_is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_scale);
    return has_scale;
}

/// Whether one of the folders in which the loader always looks has a library.
static bool is_in_a_standard_folder(const char *library) {
    void *program = dlopen(NULL, RTLD_LAZY);
    Dl_serinfo header, *folders = NULL;
    bool found = false;
    if (program && dlinfo(program, RTLD_DI_SERINFOSIZE, &header) == 0) folders = malloc(header.dls_size);
    if (folders && dlinfo(program, RTLD_DI_SERINFOSIZE, folders) == 0 && dlinfo(program, RTLD_DI_SERINFO, folders) == 0) {
        for (unsigned i = 0; i < folders->dls_cnt && !found; i++) {
            char path[PATH_MAX];
            int length = snprintf(path, sizeof path, "%s/%s", folders->dls_serpath[i].dls_name, library);
            found = length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
        }
    }
    free(folders);
    if (program) dlclose(program);
    return found;
}

const char *caprig_av_missing_package(void) {
    return is_in_a_standard_folder(FORMAT_LIBRARY) || format_is_loaded() ? NULL : FORMAT_PACKAGE;
}

int caprig_av_copy_missing(char *text, size_t count) {
    pthread_mutex_lock(&missing_mutex);
    int length = snprintf(text, count, "%s", missing);
    pthread_mutex_unlock(&missing_mutex);
    return length;
}

// The definitions are for this program alone; the libraries, which call each other by the same names, never see them.
#define OWN __attribute__((visibility("hidden")))
// `TRY(library, absent, call)` is the function's result, or `absent`.
#define TRY(library, absent, call) return library##_is_loaded() ? library.call : (absent)
#define TRY_VOID(library, call) do { if (library##_is_loaded()) library.call; } while (0)
// "Function not implemented".
#define ABSENT AVERROR(ENOSYS)

OWN void av_channel_layout_default(AVChannelLayout *layout, int count) {
    TRY_VOID(format, av_channel_layout_default(layout, count));
}
OWN void av_dict_free(AVDictionary **dictionary) { TRY_VOID(format, av_dict_free(dictionary)); }
OWN AVDictionaryEntry *av_dict_get(const AVDictionary *dictionary, const char *key, const AVDictionaryEntry *previous,
                                   int flags) {
    TRY(format, NULL, av_dict_get(dictionary, key, previous, flags));
}
OWN int av_dict_set(AVDictionary **dictionary, const char *key, const char *value, int flags) {
    TRY(format, ABSENT, av_dict_set(dictionary, key, value, flags));
}
OWN const AVInputFormat *av_find_input_format(const char *name) { TRY(format, NULL, av_find_input_format(name)); }
OWN AVFrame *av_frame_alloc(void) { TRY(format, NULL, av_frame_alloc()); }
OWN void av_frame_free(AVFrame **frame) { TRY_VOID(format, av_frame_free(frame)); }
OWN void av_free(void *memory) { TRY_VOID(format, av_free(memory)); }
OWN void av_freep(void *memory) { TRY_VOID(format, av_freep(memory)); }
OWN int av_log_format_line2(void *object, int level, const char *text, va_list arguments, char *line, int count,
                        int *print_prefix) {
    TRY(format, ABSENT, av_log_format_line2(object, level, text, arguments, line, count, print_prefix));
}
OWN void av_log_set_callback(void (*callback)(void *, int, const char *, va_list)) {
    TRY_VOID(format, av_log_set_callback(callback));
}
OWN void *av_malloc(size_t count) { TRY(format, NULL, av_malloc(count)); }
OWN void *av_mallocz(size_t count) { TRY(format, NULL, av_mallocz(count)); }
OWN int av_opt_set(void *object, const char *name, const char *value, int flags) {
    TRY(format, ABSENT, av_opt_set(object, name, value, flags));
}
OWN AVPacket *av_packet_alloc(void) { TRY(format, NULL, av_packet_alloc()); }
OWN void av_packet_free(AVPacket **packet) { TRY_VOID(format, av_packet_free(packet)); }
OWN uint8_t *av_packet_get_side_data(const AVPacket *packet, enum AVPacketSideDataType type, size_t *count) {
    TRY(format, NULL, av_packet_get_side_data(packet, type, count));
}
OWN void av_packet_rescale_ts(AVPacket *packet, AVRational from, AVRational to) {
    TRY_VOID(format, av_packet_rescale_ts(packet, from, to));
}
OWN void av_packet_unref(AVPacket *packet) { TRY_VOID(format, av_packet_unref(packet)); }
OWN int av_read_frame(AVFormatContext *context, AVPacket *packet) {
    TRY(format, ABSENT, av_read_frame(context, packet));
}
OWN int64_t av_rescale_q(int64_t value, AVRational from, AVRational to) {
    TRY(format, value, av_rescale_q(value, from, to));
}
OWN uint8_t *av_stream_get_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *count) {
    TRY(format, NULL, av_stream_get_side_data(stream, type, count));
}
OWN uint8_t *av_stream_new_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t count) {
    TRY(format, NULL, av_stream_new_side_data(stream, type, count));
}
OWN int av_strerror(int code, char *text, size_t count) { TRY(format, ABSENT, av_strerror(code, text, count)); }
OWN int av_write_frame(AVFormatContext *context, AVPacket *packet) {
    TRY(format, ABSENT, av_write_frame(context, packet));
}
OWN int av_write_trailer(AVFormatContext *context) { TRY(format, ABSENT, av_write_trailer(context)); }
OWN AVCodecContext *avcodec_alloc_context3(const AVCodec *codec) {
    TRY(format, NULL, avcodec_alloc_context3(codec));
}
OWN const AVCodec *avcodec_find_decoder(enum AVCodecID codec) { TRY(format, NULL, avcodec_find_decoder(codec)); }
OWN void avcodec_flush_buffers(AVCodecContext *context) { TRY_VOID(format, avcodec_flush_buffers(context)); }
OWN void avcodec_free_context(AVCodecContext **context) { TRY_VOID(format, avcodec_free_context(context)); }
OWN const char *avcodec_get_name(enum AVCodecID codec) { TRY(format, "unknown", avcodec_get_name(codec)); }
OWN int avcodec_open2(AVCodecContext *context, const AVCodec *codec, AVDictionary **options) {
    TRY(format, ABSENT, avcodec_open2(context, codec, options));
}
OWN int avcodec_receive_frame(AVCodecContext *context, AVFrame *frame) {
    TRY(format, ABSENT, avcodec_receive_frame(context, frame));
}
OWN int avcodec_send_packet(AVCodecContext *context, const AVPacket *packet) {
    TRY(format, ABSENT, avcodec_send_packet(context, packet));
}
OWN AVFormatContext *avformat_alloc_context(void) { TRY(format, NULL, avformat_alloc_context()); }
OWN int avformat_alloc_output_context2(AVFormatContext **context, const AVOutputFormat *output, const char *name,
                                   const char *file) {
    TRY(format, ABSENT, avformat_alloc_output_context2(context, output, name, file));
}
OWN void avformat_close_input(AVFormatContext **context) { TRY_VOID(format, avformat_close_input(context)); }
OWN int avformat_find_stream_info(AVFormatContext *context, AVDictionary **options) {
    TRY(format, ABSENT, avformat_find_stream_info(context, options));
}
OWN void avformat_free_context(AVFormatContext *context) { TRY_VOID(format, avformat_free_context(context)); }
OWN AVStream *avformat_new_stream(AVFormatContext *context, const AVCodec *codec) {
    TRY(format, NULL, avformat_new_stream(context, codec));
}
OWN int avformat_open_input(AVFormatContext **context, const char *name, const AVInputFormat *input,
                        AVDictionary **options) {
    TRY(format, ABSENT, avformat_open_input(context, name, input, options));
}
OWN int avformat_write_header(AVFormatContext *context, AVDictionary **options) {
    TRY(format, ABSENT, avformat_write_header(context, options));
}
OWN AVIOContext *avio_alloc_context(unsigned char *buffer, int count, int writes, void *object,
                                int (*read)(void *, uint8_t *, int), int (*write)(void *, uint8_t *, int),
                                int64_t (*seek)(void *, int64_t, int)) {
    TRY(format, NULL, avio_alloc_context(buffer, count, writes, object, read, write, seek));
}
OWN void avio_context_free(AVIOContext **context) { TRY_VOID(format, avio_context_free(context)); }
OWN void avio_flush(AVIOContext *context) { TRY_VOID(format, avio_flush(context)); }

OWN void sws_freeContext(struct SwsContext *context) { TRY_VOID(scale, sws_freeContext(context)); }
OWN struct SwsContext *sws_getContext(int width, int height, enum AVPixelFormat from, int target_width,
                                      int target_height, enum AVPixelFormat to, int flags, SwsFilter *source_filter,
                                      SwsFilter *target_filter, const double *parameters) {
    TRY(scale, NULL,
        sws_getContext(width, height, from, target_width, target_height, to, flags, source_filter, target_filter,
                       parameters));
}
OWN int sws_scale(struct SwsContext *context, const uint8_t *const rows[], const int strides[], int first, int count,
              uint8_t *const targets[], const int target_strides[]) {
    TRY(scale, ABSENT, sws_scale(context, rows, strides, first, count, targets, target_strides));
}
