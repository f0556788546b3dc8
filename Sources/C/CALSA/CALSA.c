#define _GNU_SOURCE
#include "CALSA.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A device whose plugins wait on more descriptors than this is refused.
enum { MAXIMUM_DESCRIPTORS = 15 };

struct calsa_capture {
    snd_pcm_t *pcm;
    uint32_t rate;
};

static _Thread_local char complaint[256];

// The prototype is libasound's: a variadic function.
static void keep_complaint(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file;
    (void)line;
    (void)function;
    (void)error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
}

static void set_handler(void) {
    snd_lib_error_set_handler(keep_complaint);
}

static void quieten(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_handler);
    complaint[0] = 0;
}

static int positive(int result) {
    return result < 0 ? -result : 0;
}

int calsa_open(const char *device, struct calsa_capture **capture) {
    quieten();
    struct calsa_capture *made = calloc(1, sizeof *made);
    if (!made) return ENOMEM;
    int result = snd_pcm_open(&made->pcm, device, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
    if (result < 0) {
        free(made);
        return -result;
    }
    *capture = made;
    return 0;
}

// `exact` or, where that is 0, as near to `preferred` as the device comes. `got` is what it has in either case.
static int choose_rate(snd_pcm_t *pcm, snd_pcm_hw_params_t *hw, unsigned exact, unsigned preferred, uint32_t *got) {
    unsigned near = exact ? exact : preferred;
    if (exact && snd_pcm_hw_params_set_rate(pcm, hw, exact, 0) == 0) {
        *got = exact;
        return 0;
    }
    int result = snd_pcm_hw_params_set_rate_near(pcm, hw, &near, NULL);
    *got = near;
    return result < 0 ? result : (exact ? -EINVAL : 0);
}

static int choose_channels(snd_pcm_t *pcm, snd_pcm_hw_params_t *hw, unsigned exact, unsigned preferred, uint32_t *got) {
    unsigned near = exact ? exact : preferred;
    if (exact && snd_pcm_hw_params_set_channels(pcm, hw, exact) == 0) {
        *got = exact;
        return 0;
    }
    int result = snd_pcm_hw_params_set_channels_near(pcm, hw, &near);
    *got = near;
    return result < 0 ? result : (exact ? -EINVAL : 0);
}

static int set_hardware(snd_pcm_t *pcm, snd_pcm_hw_params_t *hw, const struct calsa_wish *wish,
                        struct calsa_parameters *agreed, const char **operation) {
    int result;
    unsigned period = wish->period_microseconds, buffer = wish->buffer_microseconds;
    snd_pcm_uframes_t period_frames = 0, buffer_frames = 0;
    *operation = "snd_pcm_hw_params_any";
    if ((result = snd_pcm_hw_params_any(pcm, hw)) < 0) return result;
    *operation = "snd_pcm_hw_params_set_access";
    if ((result = snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED)) < 0) return result;
    *operation = "snd_pcm_hw_params_set_format";
    if ((result = snd_pcm_hw_params_set_format(pcm, hw, SND_PCM_FORMAT_S16)) < 0) return result;
    *operation = "snd_pcm_hw_params_set_channels";
    result = choose_channels(pcm, hw, wish->channels, wish->preferred_channels, &agreed->channels);
    if (result < 0) return result;
    *operation = "snd_pcm_hw_params_set_rate";
    result = choose_rate(pcm, hw, wish->rate, wish->preferred_rate, &agreed->rate);
    if (result < 0) return result;
    // The buffer first: a device with few sizes of it has still fewer once its periods are chosen.
    *operation = "snd_pcm_hw_params_set_buffer_time_near";
    if ((result = snd_pcm_hw_params_set_buffer_time_near(pcm, hw, &buffer, NULL)) < 0) return result;
    *operation = "snd_pcm_hw_params_set_period_time_near";
    if ((result = snd_pcm_hw_params_set_period_time_near(pcm, hw, &period, NULL)) < 0) return result;
    *operation = "snd_pcm_hw_params";
    if ((result = snd_pcm_hw_params(pcm, hw)) < 0) return result;
    *operation = "snd_pcm_hw_params_get_period_size";
    if ((result = snd_pcm_hw_params_get_period_size(hw, &period_frames, NULL)) < 0) return result;
    *operation = "snd_pcm_hw_params_get_buffer_size";
    if ((result = snd_pcm_hw_params_get_buffer_size(hw, &buffer_frames)) < 0) return result;
    agreed->period_frames = (uint32_t)period_frames;
    agreed->buffer_frames = (uint32_t)buffer_frames;
    agreed->moves_in_batches = snd_pcm_hw_params_is_batch(hw) == 1;
    return 0;
}

static int set_software(snd_pcm_t *pcm, snd_pcm_sw_params_t *sw, const struct calsa_parameters *agreed,
                        const char **operation) {
    int result;
    *operation = "snd_pcm_sw_params_current";
    if ((result = snd_pcm_sw_params_current(pcm, sw)) < 0) return result;
    *operation = "snd_pcm_sw_params_set_avail_min";
    if ((result = snd_pcm_sw_params_set_avail_min(pcm, sw, agreed->period_frames)) < 0) return result;
    *operation = "snd_pcm_sw_params_set_tstamp_mode";
    if ((result = snd_pcm_sw_params_set_tstamp_mode(pcm, sw, SND_PCM_TSTAMP_ENABLE)) < 0) return result;
    *operation = "snd_pcm_sw_params_set_tstamp_type";
    result = snd_pcm_sw_params_set_tstamp_type(pcm, sw, SND_PCM_TSTAMP_TYPE_MONOTONIC);
    if (result < 0) return result;
    *operation = "snd_pcm_sw_params";
    return snd_pcm_sw_params(pcm, sw);
}

int calsa_configure(struct calsa_capture *capture, const struct calsa_wish *wish, struct calsa_parameters *parameters,
                    const char **operation) {
    quieten();
    memset(parameters, 0, sizeof *parameters);
    snd_pcm_hw_params_t *hw = NULL;
    snd_pcm_sw_params_t *sw = NULL;
    *operation = "snd_pcm_hw_params_malloc";
    int result = snd_pcm_hw_params_malloc(&hw);
    if (result == 0) result = snd_pcm_sw_params_malloc(&sw);
    if (result == 0) result = set_hardware(capture->pcm, hw, wish, parameters, operation);
    if (result == 0) result = set_software(capture->pcm, sw, parameters, operation);
    snd_pcm_hw_params_free(hw);
    snd_pcm_sw_params_free(sw);
    if (result == 0 && (parameters->rate == 0 || parameters->channels == 0)) result = -EINVAL;
    capture->rate = parameters->rate;
    return positive(result);
}

int calsa_start(struct calsa_capture *capture) {
    quieten();
    return positive(snd_pcm_start(capture->pcm));
}

int calsa_wait(struct calsa_capture *capture, int wake_descriptor, struct calsa_readiness *readiness) {
    quieten();
    struct pollfd requests[MAXIMUM_DESCRIPTORS + 1];
    int count = snd_pcm_poll_descriptors(capture->pcm, requests, MAXIMUM_DESCRIPTORS);
    if (count < 0) return -count;
    requests[count] = (struct pollfd){.fd = wake_descriptor, .events = POLLIN};
    int result;
    do {
        result = poll(requests, (nfds_t)count + 1, -1);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return errno;
    unsigned short events = 0;
    result = snd_pcm_poll_descriptors_revents(capture->pcm, requests, (unsigned)count, &events);
    if (result < 0) return -result;
    readiness->readable = events != 0;
    readiness->wake = requests[count].revents != 0;
    return 0;
}

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int calsa_read(struct calsa_capture *capture, int16_t *samples, size_t capacity, struct calsa_block *block) {
    quieten();
    memset(block, 0, sizeof *block);
    snd_pcm_uframes_t available = 0;
    snd_htimestamp_t stamp = {0, 0};
    // The stamp and how far the hardware had come then, as one: the frame read next is `available` frames older.
    int result = snd_pcm_htimestamp(capture->pcm, &available, &stamp);
    if (result < 0) return -result;
    block->is_driver_stamp = nanoseconds(stamp) > 0;
    if (!block->is_driver_stamp) {
        snd_pcm_sframes_t update = snd_pcm_avail(capture->pcm);
        if (update < 0) return (int)-update;
        available = (snd_pcm_uframes_t)update;
        clock_gettime(CLOCK_MONOTONIC, &stamp);
    }
    if (available == 0) return 0;
    snd_pcm_sframes_t got = snd_pcm_readi(capture->pcm, samples, available < capacity ? available : capacity);
    if (got == -EAGAIN) return 0;
    if (got < 0) return (int)-got;
    block->frames = (size_t)got;
    // As a double: exact far beyond any buffer, where the product of integers is not.
    block->first_frame_nanoseconds = nanoseconds(stamp) - (int64_t)((double)available * 1e9 / capture->rate + 0.5);
    return 0;
}

int calsa_recover(struct calsa_capture *capture, int error) {
    quieten();
    if (error == ESTRPIPE) {
        int result = snd_pcm_resume(capture->pcm);
        if (result == 0 || result == -EAGAIN) return -result;
    }
    int result = snd_pcm_prepare(capture->pcm);
    if (result == 0) result = snd_pcm_start(capture->pcm);
    return positive(result);
}

void calsa_close(struct calsa_capture *capture) {
    quieten();
    snd_pcm_close(capture->pcm);
    free(capture);
}

const char *calsa_error_text(int error) {
    return snd_strerror(-error);
}

const char *calsa_last_complaint(void) {
    return complaint[0] ? complaint : NULL;
}

static void list_card(int card, struct calsa_device *devices, size_t capacity, size_t *count) {
    char name[16];
    snprintf(name, sizeof name, "hw:%d", card);
    snd_ctl_t *control = NULL;
    if (snd_ctl_open(&control, name, SND_CTL_NONBLOCK) < 0) return;
    snd_ctl_card_info_t *card_info = NULL;
    snd_pcm_info_t *info = NULL;
    int device = -1;
    if (snd_ctl_card_info_malloc(&card_info) < 0 || snd_pcm_info_malloc(&info) < 0) goto end;
    if (snd_ctl_card_info(control, card_info) < 0) goto end;
    while (snd_ctl_pcm_next_device(control, &device) == 0 && device >= 0) {
        snd_pcm_info_set_device(info, (unsigned)device);
        snd_pcm_info_set_subdevice(info, 0);
        snd_pcm_info_set_stream(info, SND_PCM_STREAM_CAPTURE);
        if (snd_ctl_pcm_info(control, info) < 0) continue;
        if (*count < capacity) {
            struct calsa_device *found = &devices[*count];
            found->card = card;
            found->device = device;
            snprintf(found->card_id, sizeof found->card_id, "%s", snd_ctl_card_info_get_id(card_info));
            snprintf(found->card_name, sizeof found->card_name, "%s", snd_ctl_card_info_get_name(card_info));
            snprintf(found->device_name, sizeof found->device_name, "%s", snd_pcm_info_get_name(info));
        }
        *count += 1;
    }
end:
    snd_pcm_info_free(info);
    snd_ctl_card_info_free(card_info);
    snd_ctl_close(control);
}

size_t calsa_list_devices(struct calsa_device *devices, size_t capacity) {
    quieten();
    size_t count = 0;
    int card = -1;
    while (snd_card_next(&card) == 0 && card >= 0) list_card(card, devices, capacity, &count);
    return count;
}
