/// libavformat, libavcodec, libavutil and libswscale, with what Swift cannot import of them: macros, variadic logging,
/// and lists of options. They are loaded when they are needed: Loading.c.
#ifndef CAPRIG_CLIBAV_H
#define CAPRIG_CLIBAV_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <stdint.h>

/// `AV_NOPTS_VALUE`: a time that is not known.
static const int64_t caprig_av_no_time = INT64_MIN;

/// `AVERROR_EOF`: there is nothing more.
static inline int caprig_av_end_of_file(void) {
    return AVERROR_EOF;
}

/// `AVERROR_INVALIDDATA`.
static inline int caprig_av_invalid_data(void) {
    return AVERROR_INVALIDDATA;
}

/// `AVERROR_EXIT`: the interrupt callback has ended the call.
static inline int caprig_av_interrupted(void) {
    return AVERROR_EXIT;
}

/// The status of an RTSP server that an error is of: 400 for all from 400 to 499 without an error of their own, 500 for those from 500 on;
/// 0 for other errors.
static inline int caprig_av_server_status(int code) {
    if (code == AVERROR_HTTP_UNAUTHORIZED) return 401;
    if (code == AVERROR_HTTP_FORBIDDEN) return 403;
    if (code == AVERROR_HTTP_NOT_FOUND) return 404;
    if (code == AVERROR_HTTP_BAD_REQUEST || code == AVERROR_HTTP_OTHER_4XX) return 400;
    return code == AVERROR_HTTP_SERVER_ERROR ? 500 : 0;
}

/// Keeps what the libraries complain about for `caprig_av_last_message` instead of printing it; once a process.
void caprig_av_keep_messages(void);

/// The last complaint on this thread since `caprig_av_forget_message`, without a line end; "" where there was none.
const char *caprig_av_last_message(void);

void caprig_av_forget_message(void);

/// The losses of RTP packets that were noticed on this thread so far.
unsigned long caprig_av_lost_packets(void);

/// Copies why the libraries could not be loaded, and what to install, into `text`. Returns the number of bytes; 0 if
/// none was missed so far.
int caprig_av_copy_missing(char *text, size_t count);

/// The package with the library of movies, libavformat, if this machine does not have it; else NULL. Loads it only where the
/// loader finds it elsewhere than in the folders in which it always looks. Blocks on the disk.
const char *caprig_av_missing_package(void);

/// The library's words for an error code, in `text`.
static inline void caprig_av_describe(int code, char *text, size_t count) {
    av_strerror(code, text, count);
}

/// Replaces a codec's extra data by a copy, with the zeros behind it that readers rely on. Returns 0 or `AVERROR(ENOMEM)`.
int caprig_av_set_extradata(AVCodecParameters *parameters, const uint8_t *bytes, int count);

/// Takes the standard layout of this many channels.
static inline void caprig_av_set_channels(AVCodecParameters *parameters, int count) {
    av_channel_layout_default(&parameters->ch_layout, count);
}

#endif
