/// The part of libasound that capturing PCM needs, without its macros, `alloca` and headers, which Swift cannot import
/// beside its own of the C library.
///
/// Samples are signed, 16 bits, in this machine's byte order, interleaved. A *frame* is one sample of every channel.
/// Times are nanoseconds of `CLOCK_MONOTONIC`. Every function that returns `int` returns 0 or a positive errno.
#ifndef CAPRIG_CALSA_H
#define CAPRIG_CALSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An open capture device. One thread at a time may use it.
struct calsa_capture;

/// What a device is asked for; 0 leaves the choice to the device, as near to `preferred_` as it can.
struct calsa_wish {
    uint32_t rate;
    uint32_t preferred_rate;
    uint32_t channels;
    uint32_t preferred_channels;
    uint32_t period_microseconds;
    uint32_t buffer_microseconds;
};

/// What was agreed with the device.
struct calsa_parameters {
    uint32_t rate;
    uint32_t channels;
    uint32_t period_frames;
    uint32_t buffer_frames;
    /// The device tells only by whole periods, or packets, how far it has come (SNDRV_PCM_INFO_BATCH).
    bool moves_in_batches;
};

/// Which of the things waited for have happened.
struct calsa_readiness {
    /// There is something to read, which may be a failure.
    bool readable;
    /// The other descriptor is readable.
    bool wake;
};

/// What a read yielded.
struct calsa_block {
    /// 0 where there was nothing to read.
    size_t frames;
    /// When the first of the frames was taken.
    int64_t first_frame_nanoseconds;
    /// Whether that is from the driver's own stamp; otherwise from the time of the call.
    bool is_driver_stamp;
};

/// Opens a device by libasound's name for it, without waiting for others that use it (EBUSY).
int calsa_open(const char *device, struct calsa_capture **capture);

/// Agrees on parameters and prepares the device.
/// `operation` is set to what was called last, where that failed; a rate or number of channels that is wished for and not
/// to be had is EINVAL, and `parameters` then says the nearest.
int calsa_configure(struct calsa_capture *capture, const struct calsa_wish *wish, struct calsa_parameters *parameters,
                    const char **operation);

/// Starts the hardware.
int calsa_start(struct calsa_capture *capture);

/// Blocks until there is something to read, or `wake_descriptor` is readable.
int calsa_wait(struct calsa_capture *capture, int wake_descriptor, struct calsa_readiness *readiness);

/// Reads at most `capacity` frames; never blocks. EPIPE after an overrun and ESTRPIPE after the machine has slept:
/// `calsa_recover` makes it run again.
int calsa_read(struct calsa_capture *capture, int16_t *samples, size_t capacity, struct calsa_block *block);

/// Makes the device run again after EPIPE or ESTRPIPE; what it held is lost. EAGAIN: it is not awake yet.
int calsa_recover(struct calsa_capture *capture, int error);

/// Stops and closes; not to be used afterwards.
void calsa_close(struct calsa_capture *capture);

/// libasound's words for an error number; static.
const char *calsa_error_text(int error);

/// What libasound last complained of on this thread, or NULL; valid until the thread's next call. Libasound would print it
/// to standard error.
const char *calsa_last_complaint(void);

/// One PCM device of a sound card that can capture; texts end with a zero.
struct calsa_device {
    int card;
    int device;
    char card_id[32];
    char card_name[96];
    char device_name[96];
};

/// Fills `devices` with those that this process may look at, at most `capacity`; returns how many there are.
size_t calsa_list_devices(struct calsa_device *devices, size_t capacity);

#endif
