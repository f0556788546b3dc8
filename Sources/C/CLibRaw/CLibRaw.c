#define _GNU_SOURCE
#include "CLibRaw.h"

#include <dlfcn.h>
#include <libraw/libraw.h>
#include <pthread.h>
#include <stdbool.h>

/// LibRaw's functions; they are loaded when a picture is developed for the first time, so that programs run without
/// LibRaw.
#define FUNCTIONS(EACH) \
    EACH(close) EACH(dcraw_clear_mem) EACH(dcraw_make_mem_image) EACH(dcraw_process) EACH(init) EACH(open_buffer) \
    EACH(strerror) EACH(unpack)
#define POINTER(name) __typeof__(&libraw_##name) name;
static struct { FUNCTIONS(POINTER) } libraw;
static void *library;
static bool has_libraw;

// The version that the headers are of: another one has other structures.
#define VERSION_TEXT(number) #number
#define VERSION_OF(number) VERSION_TEXT(number)
#define VERSION VERSION_OF(LIBRAW_SHLIB_CURRENT)
#define PACKAGE "libraw" VERSION
/// Beside LibRaw's own codes.
#define MISSING (-200000)

#define FIND(name) found = (libraw.name = (__typeof__(libraw.name))dlsym(library, "libraw_" #name)) && found;

static void load(void) {
    library = dlopen("libraw_r.so." VERSION, RTLD_NOW | RTLD_LOCAL);
    bool found = library;
    if (library) { FUNCTIONS(FIND) }
    has_libraw = found;
}

static bool is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return has_libraw;
}

/// LibRaw's loops use OpenMP where it is built so, which is then among what LibRaw has brought along; a process that
/// serves cameras has no core to spare for them.
static void use_one_thread(void) {
    void (*set_num_threads)(int) = (void (*)(int))dlsym(library, "omp_set_num_threads");
    if (set_num_threads) set_num_threads(1);
}

static void set_parameters(libraw_output_params_t *parameters, caprig_libraw_scale scale) {
    parameters->half_size = scale == CAPRIG_LIBRAW_HALF;
    // 2: patterned pixel grouping.
    parameters->user_qual = 2;
    // 1: sRGB, with its curve.
    parameters->output_color = 1;
    parameters->gamm[0] = 1 / 2.4;
    parameters->gamm[1] = 12.92;
    parameters->output_bps = 8;
    // What the file says of its colors, and nothing that depends on the picture: pictures of several cameras and of
    // several instants can be compared.
    parameters->use_camera_wb = 1;
    parameters->use_auto_wb = 0;
    parameters->no_auto_bright = 1;
    parameters->adjust_maximum_thr = 0;
    // The file's Exif data says how it is to be turned.
    parameters->user_flip = 0;
}

static int develop(libraw_data_t *raw, const uint8_t *file, size_t byte_count, caprig_libraw_picture *picture) {
    // LibRaw only reads it.
    int status = libraw.open_buffer(raw, (void *)file, byte_count);
    if (status == 0) status = libraw.unpack(raw);
    if (status == 0) status = libraw.dcraw_process(raw);
    if (status != 0) return status;
    libraw_processed_image_t *image = libraw.dcraw_make_mem_image(raw, &status);
    if (!image) return status != 0 ? status : LIBRAW_UNSUFFICIENT_MEMORY;
    *picture = (caprig_libraw_picture){
        .pixels = image->data,
        .byte_count = image->data_size,
        .width = image->width,
        .height = image->height,
        .image = image,
    };
    if (image->type == LIBRAW_IMAGE_BITMAP && image->colors == 3 && image->bits == 8) return 0;
    caprig_libraw_free(picture);
    return LIBRAW_UNSPECIFIED_ERROR;
}

int caprig_libraw_develop(const uint8_t *file, size_t byte_count, caprig_libraw_scale scale,
                          caprig_libraw_picture *picture) {
    *picture = (caprig_libraw_picture){0};
    if (!is_loaded()) return MISSING;
    // Without the handlers that print to standard error.
    libraw_data_t *raw = libraw.init(LIBRAW_OPIONS_NO_MEMERR_CALLBACK | LIBRAW_OPIONS_NO_DATAERR_CALLBACK);
    if (!raw) return LIBRAW_UNSUFFICIENT_MEMORY;
    use_one_thread();
    set_parameters(&raw->params, scale);
    int status = develop(raw, file, byte_count, picture);
    libraw.close(raw);
    return status;
}

void caprig_libraw_free(caprig_libraw_picture *picture) {
    if (picture->image) libraw.dcraw_clear_mem(picture->image);
    *picture = (caprig_libraw_picture){0};
}

const char *caprig_libraw_message(int code) {
    return is_loaded() ? libraw.strerror(code) : "LibRaw is missing; install the package " PACKAGE;
}

const char *caprig_libraw_missing_package(void) {
    return is_loaded() ? NULL : PACKAGE;
}
