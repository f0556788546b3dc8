// Drives one GigE Vision or USB3 Vision camera with the machine's Aravis, for the backend `aravis` of capagentd, which starts this program
// for each camera. It speaks the protocol of docs/command-camera.md: raw frames on standard output, their times, formats and controls on
// descriptor 3, changes of controls on standard input.
//
//   caprig-aravis --serial NUMBER | --address HOST [--format FOURCC] [--width N] [--height N] [--fps N] [--packet-size N] [--no-resend]
//                 [--set FEATURE=VALUE]... [--control FEATURE]... [--action-keys DEVICE:GROUP:MASK]
//   caprig-aravis --list        prints a line for each camera: serial number, vendor, model, transport and address, with tabs between
//
// With --action-keys, the camera exposes only at action commands of GigE Vision with these keys. Further lines then ask and tell:
//
//   state ID            standard input: asks for the camera's clock and exposure
//   action HEX          standard input: a packet for the camera's port of the control protocol
//   ready HEADER        descriptor 3: the camera waits for actions; the header of its frames
//   state ID STATUS GRANDMASTER OFFSET CAMERA MONOTONIC ERROR EXPOSURE
//                       descriptor 3: PTP's state, `-` if unknown; the camera's clock and this machine's at one instant, at most ERROR apart
//   unready ID REASON   descriptor 3: the clock cannot be read
//   datagram HEX        descriptor 3: what the camera has answered to a packet
//
// The time of a frame has a sixth word then: the start on the camera's clock.
//
// An incomplete buffer is never written. Its number is missing in the times, which counts it as lost by the camera. Written against
// Aravis 0.8.26 (Debian 12).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <arv.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    told_file = 3,
    /// The bytes of a line of descriptor 3, without its end.
    line_size = 255,
    most_controls = 64,
    most_items = 32,
    most_words = 64,
    /// The bytes of a packet of an action or its acknowledgement.
    most_packet = 64,
    control_port = 3956,
    /// The shortest side that is offered, in pixels.
    shortest_side = 16,
    longest_side = 65535,
    /// The most bytes of a frame, and of all buffers.
    largest_frame = 128 << 20,
    most_buffer_bytes = 256 << 20,
    status_failed = 1,
    status_usage = 64,
};

static const int64_t second = 1000000000;
/// How often the camera's clock is compared with this machine's, and how often controls are read, in nanoseconds.
static const int64_t clock_period = 250000000, controls_period = 1000000000;
/// How long a camera may be silent before it is asked whether it is there, in nanoseconds.
static const int64_t silence_period = 2000000000;
/// How much the two clocks may differ in their rate.
static const double drift = 200e-6;

static ArvCamera *camera;
static ArvDevice *device;
static ArvStream *stream;
static bool is_gige, tells, is_running, is_scheduled;
static int wake = -1, signals = -1, actions = -1;
static gint is_lost;

// MARK: Output

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * second + time.tv_nsec;
}

/// Frees the camera for others, as far as it answers.
static void release(void) {
    static bool is_released;
    if (is_released || camera == NULL) return;
    is_released = true;
    if (is_running) arv_camera_stop_acquisition(camera, NULL);
    if (is_gige) arv_gv_device_leave_control(ARV_GV_DEVICE(device), NULL);
}

/// Writes all of it. Ends the program if nobody reads any longer, or if it is asked to end while it waits.
static void write_all(int file, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        const ssize_t written = write(file, next, count);
        if (written > 0) {
            next += written;
            count -= (size_t)written;
            continue;
        }
        if (written < 0 && errno == EINTR) continue;
        struct pollfd waits[] = {{file, POLLOUT, 0}, {signals, POLLIN, 0}};
        const bool waits_for_reader = written < 0 && errno == EAGAIN && poll(waits, 2, -1) >= 0;
        if (waits_for_reader && waits[1].revents == 0) continue;
        release();
        _exit(waits_for_reader ? 0 : status_failed);
    }
}

/// Lets writes to a pipe wait for a signal too.
static void unblock(int file) {
    const int flags = fcntl(file, F_GETFL);
    if (flags >= 0) fcntl(file, F_SETFL, flags | O_NONBLOCK);
}

/// Writes a line to descriptor 3.
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    if (!tells) return;
    char line[line_size + 2];
    va_list values;
    va_start(values, format);
    int count = vsnprintf(line, line_size + 1, format, values);
    va_end(values);
    if (count < 0) return;
    if (count > line_size) count = line_size;
    // What a camera says has no part in the form of a line.
    for (int index = 0; index < count; index += 1) {
        if ((unsigned char)line[index] < ' ') line[index] = ' ';
    }
    line[count] = '\n';
    write_all(told_file, line, (size_t)count + 1);
}

/// Ends the program. The code is one of a line `failed`.
__attribute__((format(printf, 2, 3), noreturn)) static void fail(const char *code, const char *format, ...) {
    char reason[512];
    va_list values;
    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    fprintf(stderr, "caprig-aravis: %s\n", reason);
    say("failed %s %s", code, reason);
    release();
    _exit(status_failed);
}

static const char *text(GError *error) { return error != NULL ? error->message : "no reason given"; }

/// Ends the program for an error of Aravis, if there is one.
static void check(GError *error, const char *what) {
    if (error == NULL) return;
    const bool is_absent = g_error_matches(error, ARV_DEVICE_ERROR, ARV_DEVICE_ERROR_NOT_FOUND)
        || g_error_matches(error, ARV_DEVICE_ERROR, ARV_DEVICE_ERROR_NOT_CONNECTED)
        || g_error_matches(error, ARV_DEVICE_ERROR, ARV_DEVICE_ERROR_TIMEOUT);
    fail(is_absent ? "absent" : "failed", "%s: %s", what, error->message);
}

// MARK: Options

struct options {
    const char *serial, *address, *fourcc;
    int width, height, packet_size;
    double fps;
    bool resends;
    const char *settings[most_words], *features[most_words];
    int setting_count, feature_count;
    uint32_t device_key, group_key, group_mask;
};

static void usage(FILE *file) {
    fputs("Usage: caprig-aravis --list\n"
          "       caprig-aravis --serial NUMBER | --address HOST [--format FOURCC] [--width N] [--height N] [--fps N]\n"
          "                     [--packet-size N] [--no-resend] [--set FEATURE=VALUE]... [--control FEATURE]...\n"
          "                     [--action-keys DEVICE:GROUP:MASK]\n"
          "\n"
          "Writes the frames of a camera to standard output, until SIGTERM, as docs/command-camera.md describes.\n",
        file);
}

static int number(const char *word, const char *option) {
    char *end;
    errno = 0;
    const long value = strtol(word, &end, 10);
    if (errno != 0 || *end != 0 || value < 1 || value > longest_side) fail("failed", "--%s %s is not a number of 1 to 65535", option, word);
    return (int)value;
}

static struct options parse(int count, char *words[], bool *is_list) {
    struct options options = {.fps = 30, .resends = true};
    const struct option names[] = {
        {"list", no_argument, NULL, 'l'}, {"serial", required_argument, NULL, 's'}, {"address", required_argument, NULL, 'a'},
        {"format", required_argument, NULL, 'f'}, {"width", required_argument, NULL, 'w'}, {"height", required_argument, NULL, 'h'},
        {"fps", required_argument, NULL, 'r'}, {"packet-size", required_argument, NULL, 'p'}, {"no-resend", no_argument, NULL, 'n'},
        {"set", required_argument, NULL, 'v'}, {"control", required_argument, NULL, 'c'}, {"action-keys", required_argument, NULL, 'k'},
        {"help", no_argument, NULL, '?'}, {0},
    };
    int found;
    char *end;
    while ((found = getopt_long(count, words, "", names, NULL)) != -1) {
        switch (found) {
        case 'l': *is_list = true; break;
        case 's': options.serial = optarg; break;
        case 'a': options.address = optarg; break;
        case 'f': options.fourcc = optarg; break;
        case 'w': options.width = number(optarg, "width"); break;
        case 'h': options.height = number(optarg, "height"); break;
        case 'r':
            options.fps = strtod(optarg, &end);
            if (*end != 0 || !(options.fps >= 0.01 && options.fps <= 1000)) fail("failed", "--fps %s is not 0.01 to 1000", optarg);
            break;
        case 'p': options.packet_size = number(optarg, "packet-size"); break;
        case 'n': options.resends = false; break;
        case 'v':
            if (strchr(optarg, '=') == NULL) fail("failed", "--set %s is not FEATURE=VALUE", optarg);
            if (options.setting_count == most_words) fail("failed", "there are more than %d --set", most_words);
            options.settings[options.setting_count++] = optarg;
            break;
        case 'c':
            if (options.feature_count == most_words) fail("failed", "there are more than %d --control", most_words);
            options.features[options.feature_count++] = optarg;
            break;
        case 'k':
            is_scheduled = sscanf(optarg, "%" SCNu32 ":%" SCNu32 ":%" SCNu32, &options.device_key, &options.group_key, &options.group_mask) == 3;
            if (!is_scheduled) fail("failed", "--action-keys %s is not DEVICE:GROUP:MASK", optarg);
            break;
        default:
            usage(stderr);
            exit(status_usage);
        }
    }
    if (optind < count) fail("failed", "'%s' is not an option", words[optind]);
    if (!*is_list && (options.serial == NULL) == (options.address == NULL)) {
        usage(stderr);
        exit(status_usage);
    }
    return options;
}

// MARK: Formats

/// How a camera's samples become those of the V4L2 format.
enum conversion {
    as_is,
    /// Little-endian words of which the lowest bits are dropped.
    shifted,
    /// A stream of bits, the lowest first.
    bits_lowest_first,
    /// Two samples in three bytes, the high bits in the first and the last: GigE Vision's Packed.
    bits_in_middle,
    /// B G R.
    swapped,
};

struct format {
    uint32_t code;
    const char *fourcc;
    enum conversion conversion;
    /// Bits of a sample that count, of those that are converted; bits to drop, if shifted.
    int bits;
    bool is_limited;
};

#define MOSAICS(GR, RG, GB, BG, GR4, RG4, GB4, BG4, CONVERSION, BITS) \
    {GR, GR4, CONVERSION, BITS, false}, {RG, RG4, CONVERSION, BITS, false}, {GB, GB4, CONVERSION, BITS, false}, \
        {BG, BG4, CONVERSION, BITS, false}

/// The formats that are read, by their numbers in the PFNC, in the order in which one is chosen.
static const struct format formats[] = {
    {0x02100032, "YUYV", as_is, 0, false},
    {0x0210003b, "YUYV", as_is, 0, false},
    {0x0210003e, "YUYV", as_is, 0, true},
    {0x0210001f, "UYVY", as_is, 0, false},
    {0x02100043, "UYVY", as_is, 0, false},
    {0x02100044, "UYVY", as_is, 0, true},
    {0x02180014, "RGB3", as_is, 0, false},
    {0x02180015, "RGB3", swapped, 0, false},
    {0x01080001, "GREY", as_is, 0, false},
    {0x01100005, "Y12", as_is, 0, false},
    {0x010c0047, "Y12", bits_lowest_first, 12, false},
    {0x010c0006, "Y12", bits_in_middle, 12, false},
    {0x01100025, "Y12", shifted, 2, false},
    {0x01100007, "Y12", shifted, 4, false},
    {0x01100003, "Y10", as_is, 0, false},
    {0x010a0046, "Y10", bits_lowest_first, 10, false},
    {0x010c0004, "Y10", bits_in_middle, 10, false},
    MOSAICS(0x01100010, 0x01100011, 0x01100012, 0x01100013, "BA12", "RG12", "GB12", "BG12", as_is, 0),
    MOSAICS(0x010c0057, 0x010c0059, 0x010c0055, 0x010c0053, "BA12", "RG12", "GB12", "BG12", bits_lowest_first, 12),
    MOSAICS(0x010c002a, 0x010c002b, 0x010c002c, 0x010c002d, "BA12", "RG12", "GB12", "BG12", bits_in_middle, 12),
    MOSAICS(0x0110002e, 0x0110002f, 0x01100030, 0x01100031, "GR16", "RG16", "GB16", "BYR2", as_is, 0),
    MOSAICS(0x01100109, 0x0110010a, 0x0110010b, 0x0110010c, "GR14", "RG14", "GB14", "BG14", as_is, 0),
    MOSAICS(0x0110000c, 0x0110000d, 0x0110000e, 0x0110000f, "BA10", "RG10", "GB10", "BG10", as_is, 0),
    MOSAICS(0x010a0056, 0x010a0058, 0x010a0054, 0x010a0052, "BA10", "RG10", "GB10", "BG10", bits_lowest_first, 10),
    MOSAICS(0x010c0026, 0x010c0027, 0x010c0028, 0x010c0029, "BA10", "RG10", "GB10", "BG10", bits_in_middle, 10),
    MOSAICS(0x01080008, 0x01080009, 0x0108000a, 0x0108000b, "GRBG", "RGGB", "GBRG", "BA81", as_is, 0),
};

enum { format_count = sizeof formats / sizeof formats[0] };

/// What the camera delivers.
static const struct format *format;
static int width, height;
static uint8_t *converted;

static int bits_per_pixel(const struct format *format) { return (int)(format->code >> 16 & 0xff); }

/// The bytes of a row as it comes, and as it is written.
static size_t source_row(void) { return (size_t)width * (size_t)bits_per_pixel(format) / 8; }
static size_t target_row(void) {
    const bool is_wide = format->conversion == bits_lowest_first || format->conversion == bits_in_middle;
    return is_wide ? (size_t)width * 2 : source_row();
}

static void convert(const uint8_t *source, uint8_t *target) {
    const int bits = format->bits, mask = (1 << bits) - 1;
    uint16_t *samples = (uint16_t *)(void *)target;
    switch (format->conversion) {
    case as_is: memcpy(target, source, source_row()); break;
    case shifted:
        for (int x = 0; x < width; x += 1) {
            samples[x] = GUINT16_TO_LE((uint16_t)((source[2 * x] | source[2 * x + 1] << 8) >> bits));
        }
        break;
    case bits_lowest_first:
        for (int x = 0; x < width; x += 1) {
            const int bit = x * bits;
            const uint8_t *first = source + bit / 8;
            samples[x] = GUINT16_TO_LE((uint16_t)((first[0] | first[1] << 8) >> bit % 8 & mask));
        }
        break;
    case bits_in_middle:
        for (int x = 0; x < width; x += 1) {
            const uint8_t *three = source + x / 2 * 3;
            const int low = three[1] >> (x % 2 == 0 ? 0 : 4) & ((1 << (bits - 8)) - 1);
            samples[x] = GUINT16_TO_LE((uint16_t)(three[x % 2 == 0 ? 0 : 2] << (bits - 8) | low));
        }
        break;
    case swapped:
        for (int x = 0; x < width; x += 1) {
            target[3 * x] = source[3 * x + 2];
            target[3 * x + 1] = source[3 * x + 1];
            target[3 * x + 2] = source[3 * x];
        }
        break;
    }
}

/// A side as the camera offers it.
struct side {
    int least, most, step;
};

static struct side side(bool is_width) {
    struct side side = {1, longest_side, 1};
    GError *error = NULL;
    if (is_width) {
        arv_camera_get_width_bounds(camera, &side.least, &side.most, &error);
    } else {
        arv_camera_get_height_bounds(camera, &side.least, &side.most, &error);
    }
    check(error, "its size cannot be read");
    const int step = is_width ? arv_camera_get_width_increment(camera, NULL) : arv_camera_get_height_increment(camera, NULL);
    side.step = CLAMP(step, 1, longest_side);
    side.least = CLAMP(side.least, 1, longest_side);
    side.most = MIN(side.most, longest_side);
    while (side.least < shortest_side) side.least += side.step;
    if (side.most < side.least) fail("failed", "the camera tells a %s of %d to %d", is_width ? "width" : "height", side.least, side.most);
    side.most = side.least + (side.most - side.least) / side.step * side.step;
    return side;
}

/// Returns the requested side, or the longest.
static int chosen(struct side side, int wanted, const char *name) {
    if (wanted == 0) return side.most;
    if (wanted >= side.least && wanted <= side.most && (wanted - side.least) % side.step == 0) return wanted;
    fail("unsupportedFormat", "the camera has no %s of %d; it has %d to %d in steps of %d; correct `format`", name, wanted, side.least,
        side.most, side.step);
}

struct rates {
    double least, most;
};

static struct rates rates(void) {
    struct rates rates = {0.01, 1000};
    double least = 0, most = 0;
    GError *error = NULL;
    if (arv_camera_is_frame_rate_available(camera, NULL)) arv_camera_get_frame_rate_bounds(camera, &least, &most, &error);
    g_clear_error(&error);
    if (isfinite(least) && least > rates.least && least < rates.most) rates.least = least;
    if (isfinite(most) && most > rates.least && most < rates.most) rates.most = most;
    return rates;
}

/// Tells what is offered, and returns the chosen format.
static const struct format *choose(const char *fourcc) {
    guint count = 0;
    GError *error = NULL;
    gint64 *codes = arv_camera_dup_available_pixel_formats(camera, &count, &error);
    check(error, "its pixel formats cannot be read");
    const struct side widths = side(true), heights = side(false);
    const struct rates offered = rates();
    const struct format *found = NULL;
    char names[256] = "";
    for (int index = 0; index < format_count; index += 1) {
        bool is_offered = false;
        for (guint code = 0; code < count; code += 1) is_offered |= (uint32_t)codes[code] == formats[index].code;
        if (!is_offered) continue;
        const char *name = formats[index].fourcc;
        if (found == NULL && (fourcc == NULL || strcmp(fourcc, name) == 0)) found = &formats[index];
        if (strstr(names, name) != NULL) continue;
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", name);
        say("offer %s %d %d %d %d %d %d %.4f %.4f", name, widths.least, widths.most, widths.step, heights.least, heights.most,
            heights.step, offered.least, offered.most);
    }
    g_free(codes);
    if (found == NULL) {
        fail("unsupportedFormat", "the camera has no format %s that is read; it has%s; correct `format`", fourcc != NULL ? fourcc : "",
            names[0] != 0 ? names : " none");
    }
    return found;
}

/// Sets the format, the size in the middle of the sensor, and the rate.
static void set_format(const struct options *options) {
    GError *error = NULL;
    if (arv_camera_is_region_offset_available(camera, NULL)) {
        arv_camera_set_integer(camera, "OffsetX", 0, NULL);
        arv_camera_set_integer(camera, "OffsetY", 0, NULL);
    }
    format = choose(options->fourcc);
    arv_camera_set_pixel_format(camera, format->code, &error);
    check(error, "its pixel format cannot be set");
    const struct side widths = side(true), heights = side(false);
    width = chosen(widths, options->width, "width");
    height = chosen(heights, options->height, "height");
    if ((int64_t)width * bits_per_pixel(format) % 8 != 0) {
        fail("unsupportedFormat", "rows of %d samples of %d bits are not whole bytes; choose another width", width, bits_per_pixel(format));
    }
    arv_camera_set_region(camera, 0, 0, width, height, &error);
    check(error, "its size cannot be set");
    if (arv_camera_is_region_offset_available(camera, NULL)) {
        const int steps[] = {arv_camera_get_x_offset_increment(camera, NULL), arv_camera_get_y_offset_increment(camera, NULL)};
        const int spare[] = {(widths.most - width) / 2, (heights.most - height) / 2};
        arv_camera_set_integer(camera, "OffsetX", spare[0] - spare[0] % MAX(steps[0], 1), NULL);
        arv_camera_set_integer(camera, "OffsetY", spare[1] - spare[1] % MAX(steps[1], 1), NULL);
    }
    gint x, y, width_now, height_now;
    arv_camera_get_region(camera, &x, &y, &width_now, &height_now, &error);
    check(error, "its size cannot be read");
    if (width_now != width || height_now != height) {
        fail("unsupportedFormat", "the camera has set %dx%d instead of %dx%d", width_now, height_now, width, height);
    }
    if ((size_t)target_row() * (size_t)height > largest_frame) {
        fail("unsupportedFormat", "frames of %dx%d have more than %d MiB; choose a smaller size", width, height, largest_frame >> 20);
    }
    converted = malloc(target_row() * (size_t)height);
    if (converted == NULL) fail("failed", "the memory does not suffice for a frame");
}

static void set_rate(double fps) {
    GError *error = NULL;
    arv_camera_set_acquisition_mode(camera, ARV_ACQUISITION_MODE_CONTINUOUS, NULL);
    arv_camera_clear_triggers(camera, NULL);
    // Which needs a selector that not every camera has.
    if (arv_camera_is_feature_available(camera, "TriggerMode", NULL)) arv_camera_set_string(camera, "TriggerMode", "Off", NULL);
    if (!arv_camera_is_frame_rate_available(camera, NULL)) {
        fprintf(stderr, "caprig-aravis: the camera has no frame rate to set; it is taken for %g\n", fps);
        return;
    }
    const struct rates offered = rates();
    if (fps < offered.least * 0.999 || fps > offered.most * 1.001) {
        fail("unsupportedFormat", "the camera makes %.3g to %.3g frames per second as it is set, not %g; correct `framesPerSecond`",
            offered.least, offered.most, fps);
    }
    arv_camera_set_frame_rate(camera, fps, &error);
    check(error, "its frame rate cannot be set");
    const double set = arv_camera_get_frame_rate(camera, &error);
    check(error, "its frame rate cannot be read");
    if (fabs(set / fps - 1) > 0.01) {
        fail("unsupportedFormat", "the camera has set %g frames per second instead of %g; correct `framesPerSecond`", set, fps);
    }
}

// MARK: Controls

enum kind {
    /// Aravis' own functions know under which names cameras have the feature.
    exposure_time,
    gain_value,
    /// `Continuous` is 0 and everything else 1, as V4L2's auto_exposure.
    manual_menu,
    /// `Continuous` is 1 and everything else 0.
    automatic_flag,
    /// By the type of the feature.
    integer_feature,
    float_feature,
    boolean_feature,
    enumeration,
    command,
};

struct control {
    char name[64], feature[80], unit[32];
    enum kind kind;
    /// A step of 1 is 1/scale of the camera's unit.
    double scale;
    int64_t least, most, step, usual, value;
    bool is_known, is_read_only, is_inactive;
    gint64 item_values[most_items];
    char item_names[most_items][32];
    int item_count;
};

static struct control controls[most_controls];
static int control_count;

static const char *kind_name(const struct control *control) {
    switch (control->kind) {
    case manual_menu:
    case enumeration: return "menu";
    case automatic_flag:
    case boolean_feature: return "boolean";
    case command: return "button";
    default: return "integer";
    }
}

static struct control *find(const char *name) {
    for (int index = 0; index < control_count; index += 1) {
        if (strcmp(controls[index].name, name) == 0) return &controls[index];
    }
    return NULL;
}

/// Whether an automatic mode decides the value.
static bool is_decided(const struct control *control) {
    const bool is_exposure = control->kind == exposure_time;
    if (!is_exposure && control->kind != gain_value) return false;
    const struct control *mode = find(is_exposure ? "auto_exposure" : "gain_automatic");
    return mode != NULL && mode->is_known && mode->value == (is_exposure ? 0 : 1);
}

static int64_t steps(const struct control *control, double value) {
    const double scaled = value * control->scale;
    return (int64_t)llround(scaled < -1e15 ? -1e15 : scaled > 1e15 ? 1e15 : scaled);
}

/// Reads the present value.
/// Returns false if the camera does not answer.
static bool read_value(struct control *control) {
    GError *error = NULL;
    int64_t value = control->value;
    switch (control->kind) {
    case exposure_time: value = steps(control, arv_camera_get_exposure_time(camera, &error)); break;
    case gain_value: value = steps(control, arv_camera_get_gain(camera, &error)); break;
    case manual_menu:
    case automatic_flag: {
        const char *mode = arv_camera_get_string(camera, control->feature, &error);
        const bool is_automatic = mode != NULL && strcmp(mode, "Continuous") == 0;
        value = is_automatic == (control->kind == automatic_flag) ? 1 : 0;
        break;
    }
    case integer_feature:
    case enumeration: value = arv_camera_get_integer(camera, control->feature, &error); break;
    case float_feature: value = steps(control, arv_camera_get_float(camera, control->feature, &error)); break;
    case boolean_feature: value = arv_camera_get_boolean(camera, control->feature, &error) ? 1 : 0; break;
    case command: return true;
    }
    control->is_known = error == NULL;
    const bool answers = !g_error_matches(error, ARV_DEVICE_ERROR, ARV_DEVICE_ERROR_TIMEOUT);
    g_clear_error(&error);
    const bool has_range = control->kind == exposure_time || control->kind == gain_value || control->kind == float_feature
        || control->kind == integer_feature;
    control->value = !has_range ? value : value < control->least ? control->least : value > control->most ? control->most : value;
    return answers;
}

static void write_value(const struct control *control, int64_t value, GError **error) {
    const double scaled = (double)value / control->scale;
    switch (control->kind) {
    case exposure_time: arv_camera_set_exposure_time(camera, scaled, error); break;
    case gain_value: arv_camera_set_gain(camera, scaled, error); break;
    case manual_menu:
    case automatic_flag:
        arv_camera_set_string(camera, control->feature, (value == 1) == (control->kind == automatic_flag) ? "Continuous" : "Off", error);
        break;
    case integer_feature:
    case enumeration: arv_camera_set_integer(camera, control->feature, value, error); break;
    case float_feature: arv_camera_set_float(camera, control->feature, scaled, error); break;
    case boolean_feature: arv_camera_set_boolean(camera, control->feature, value != 0, error); break;
    case command: arv_camera_execute_command(camera, control->feature, error); break;
    }
}

static void describe(const struct control *control) {
    char value[24] = "-";
    if (control->is_known) snprintf(value, sizeof value, "%" PRId64, control->value);
    say("control %s %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s %s %s", control->name, kind_name(control), control->least,
        control->most, control->step, control->usual, value,
        control->is_read_only ? "read-only" : control->is_inactive ? "inactive" : "active", control->unit);
}

static void describe_all(void) {
    for (int index = 0; index < control_count; index += 1) {
        describe(&controls[index]);
        for (int item = 0; item < controls[index].item_count; item += 1) {
            say("item %s %" PRId64 " %s", controls[index].name, controls[index].item_values[item], controls[index].item_names[item]);
        }
    }
}

/// Reads all values, as long as the camera answers, and tells those that have changed.
static void refresh(void) {
    GError *error = NULL;
    if (arv_camera_is_feature_available(camera, "PtpDataSetLatch", NULL)) arv_camera_execute_command(camera, "PtpDataSetLatch", &error);
    const bool answers = !g_error_matches(error, ARV_DEVICE_ERROR, ARV_DEVICE_ERROR_TIMEOUT);
    g_clear_error(&error);
    if (!answers) return;
    for (int index = 0; index < control_count; index += 1) {
        struct control *control = &controls[index];
        const struct control before = *control;
        if (!read_value(control)) return;
        control->is_inactive = is_decided(control);
        if (control->is_known != before.is_known || control->value != before.value || control->is_inactive != before.is_inactive) {
            describe(control);
        }
    }
}

static struct control *append(const char *name, const char *feature, enum kind kind, double scale, const char *unit) {
    if (control_count == most_controls || find(name) != NULL) return NULL;
    struct control *control = &controls[control_count++];
    *control = (struct control){.kind = kind, .scale = scale, .most = 1, .step = 1};
    snprintf(control->name, sizeof control->name, "%s", name);
    snprintf(control->feature, sizeof control->feature, "%s", feature);
    snprintf(control->unit, sizeof control->unit, "%s", unit[0] != 0 ? unit : "-");
    return control;
}

/// Takes the range of a control in the camera's unit.
static void set_range(struct control *control, double least, double most) {
    control->least = (int64_t)ceil(MAX(least, -1e12) * control->scale - 1e-6);
    control->most = (int64_t)floor(MIN(most, 1e12) * control->scale + 1e-6);
    if (control->most < control->least) control->most = control->least;
}

static void add_item(struct control *control, gint64 value, const char *name) {
    if (control->item_count == most_items) return;
    control->item_values[control->item_count] = value;
    snprintf(control->item_names[control->item_count], sizeof control->item_names[0], "%s", name);
    control->item_count += 1;
}

/// Adds a mode that is automatic or not.
static void add_mode(const char *name, const char *feature, enum kind kind) {
    if (!arv_camera_is_feature_available(camera, feature, NULL)) return;
    struct control *control = append(name, feature, kind, 1, "");
    if (control == NULL || kind != manual_menu) return;
    add_item(control, 0, "automatic");
    add_item(control, 1, "manual");
}

/// The name of a control: `BlackLevel` is black_level.
static void snake(const char *feature, char *name, size_t size) {
    size_t count = 0;
    for (size_t index = 0; feature[index] != 0 && count + 3 < size; index += 1) {
        const unsigned char letter = (unsigned char)feature[index], next = (unsigned char)feature[index + 1];
        const unsigned char last = index > 0 ? (unsigned char)feature[index - 1] : '_';
        const bool begins = isupper(letter) && last != '_' && (!isupper(last) || islower(next));
        if (begins && count > 0) name[count++] = '_';
        name[count++] = isalnum(letter) ? (char)tolower(letter) : '_';
    }
    name[count] = 0;
}

/// Adds a feature by its type, under its own name or another.
/// Returns whether the camera has it.
static bool add_feature(const char *feature, const char *name, const char *unit, bool is_read_only) {
    if (!arv_camera_is_feature_available(camera, feature, NULL)) return false;
    ArvGcNode *node = arv_device_get_feature(device, feature);
    char own[64];
    snake(feature, own, sizeof own);
    if (name == NULL) name = own;
    struct control *control = NULL;
    if (ARV_IS_GC_COMMAND(node)) {
        control = append(name, feature, command, 1, unit);
    } else if (ARV_IS_GC_ENUMERATION(node)) {
        guint value_count = 0, name_count = 0;
        gint64 *values = arv_camera_dup_available_enumerations(camera, feature, &value_count, NULL);
        const char **names = arv_camera_dup_available_enumerations_as_strings(camera, feature, &name_count, NULL);
        const guint count = MIN(value_count, name_count);
        if (values != NULL && names != NULL && count > 0) control = append(name, feature, enumeration, 1, unit);
        if (control != NULL) {
            control->least = control->most = values[0];
            for (guint index = 0; index < count; index += 1) {
                control->least = MIN(control->least, values[index]);
                control->most = MAX(control->most, values[index]);
                add_item(control, values[index], names[index]);
            }
        }
        g_free(values);
        g_free(names);
    } else if (ARV_IS_GC_BOOLEAN(node)) {
        control = append(name, feature, boolean_feature, 1, unit);
    } else if (ARV_IS_GC_FLOAT(node)) {
        double least = 0, most = 0;
        char own_unit[32] = "0.001 ";
        const char *told = arv_gc_float_get_unit(ARV_GC_FLOAT(node));
        arv_camera_get_float_bounds(camera, feature, &least, &most, NULL);
        snprintf(own_unit + strlen(own_unit), sizeof own_unit - strlen(own_unit), "%s", told != NULL ? told : "");
        control = append(name, feature, float_feature, 1000, unit[0] != 0 ? unit : told != NULL && told[0] != 0 ? own_unit : "0.001");
        if (control != NULL) set_range(control, least, most);
    } else if (ARV_IS_GC_INTEGER(node)) {
        gint64 least = 0, most = 0;
        arv_camera_get_integer_bounds(camera, feature, &least, &most, NULL);
        const gint64 step = arv_camera_get_integer_increment(camera, feature, NULL);
        control = append(name, feature, integer_feature, 1, unit);
        if (control != NULL) {
            control->least = MIN(least, most);
            control->most = MAX(least, most);
            control->step = MAX(step, 1);
        }
    }
    if (control == NULL) return true;
    const ArvGcAccessMode mode = arv_device_get_feature_access_mode(device, feature);
    control->is_read_only = is_read_only || mode == ARV_GC_ACCESS_MODE_RO;
    return true;
}

static void add_controls(const struct options *options) {
    double least = 0, most = 0;
    add_mode("auto_exposure", "ExposureAuto", manual_menu);
    if (arv_camera_is_exposure_time_available(camera, NULL)) {
        // Aravis counts microseconds.
        struct control *control = append("exposure_time_absolute", "", exposure_time, 0.01, "100 µs");
        arv_camera_get_exposure_time_bounds(camera, &least, &most, NULL);
        if (control != NULL) set_range(control, MAX(least, 100), MAX(most, 100));
    }
    add_mode("gain_automatic", "GainAuto", automatic_flag);
    if (arv_camera_is_gain_available(camera, NULL)) {
        ArvGcNode *node = arv_device_get_feature(device, "Gain");
        const bool is_float = node != NULL && ARV_IS_GC_FLOAT(node);
        const char *unit = is_float ? arv_gc_float_get_unit(ARV_GC_FLOAT(node)) : NULL;
        const bool is_decibel = unit != NULL && strcasecmp(unit, "dB") == 0;
        struct control *control = append("gain", "", gain_value, is_float ? 1000 : 1, is_decibel ? "0.001 dB" : "");
        arv_camera_get_gain_bounds(camera, &least, &most, NULL);
        if (control != NULL) set_range(control, least, most);
    }
    add_mode("white_balance_automatic", "BalanceWhiteAuto", automatic_flag);
    add_feature("BlackLevel", NULL, "", false);
    add_feature("Gamma", NULL, "", false);
    if (!add_feature("PtpEnable", "ptp_enable", "", false)) add_feature("GevIEEE1588", "ptp_enable", "", false);
    if (!add_feature("PtpStatus", "ptp_status", "", true)) add_feature("GevIEEE1588Status", "ptp_status", "", true);
    add_feature("PtpOffsetFromMaster", "ptp_offset_from_master", "ns", true);
    add_feature("DeviceTemperature", NULL, "0.001 °C", true);
    for (int index = 0; index < options->feature_count; index += 1) {
        if (!add_feature(options->features[index], NULL, "", false)) {
            fail("unsupportedControl", "the camera has no feature '%s'; `arv-tool-0.8 features` lists those that it has", options->features[index]);
        }
    }
    refresh();
    for (int index = 0; index < control_count; index += 1) {
        struct control *control = &controls[index];
        control->usual = control->value < control->least ? control->least : control->value > control->most ? control->most : control->value;
    }
    describe_all();
}

/// Carries out `set ID NAME=VALUE …`: all of it or nothing.
static void set_controls(char *line) {
    char *rest = NULL, *word = strtok_r(line, " ", &rest);
    if (word == NULL || strcmp(word, "set") != 0) return;
    const char *id = strtok_r(NULL, " ", &rest);
    if (id == NULL) return;
    struct change {
        struct control *control;
        int64_t value, before;
        bool was_known;
    } changes[most_controls];
    int count = 0;
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        char *equals = strchr(word, '='), *end = NULL;
        if (equals != NULL) *equals = 0;
        struct control *control = find(word);
        const int64_t value = equals != NULL ? strtoll(equals + 1, &end, 10) : 0;
        if (control == NULL || end == NULL || *end != 0 || count == most_controls) {
            say("refused %s %s cannot be set", id, word);
            return;
        }
        changes[count++] = (struct change){control, value, control->value, control->is_known};
    }
    // Modes first, since they decide whether a value can be set.
    GError *error = NULL;
    int done = 0;
    const char *name = "";
    char reason[160] = "";
    bool is_set[most_controls] = {false};
    for (int pass = 0; pass < 2 && error == NULL && reason[0] == 0; pass += 1) {
        for (int index = 0; index < count && error == NULL && reason[0] == 0; index += 1) {
            struct control *control = changes[index].control;
            const bool is_mode = control->kind == manual_menu || control->kind == automatic_flag;
            if (is_mode != (pass == 0)) continue;
            name = control->name;
            if (is_decided(control)) {
                snprintf(reason, sizeof reason, "has no effect while an automatic mode decides it; turn that off in the same change");
                break;
            }
            write_value(control, changes[index].value, &error);
            if (error != NULL) break;
            is_set[index] = true;
            done += 1;
            read_value(control);
        }
    }
    if (error != NULL || reason[0] != 0) {
        if (error != NULL) snprintf(reason, sizeof reason, "%s", error->message);
        g_clear_error(&error);
        for (int index = count - 1; index >= 0; index -= 1) {
            if (is_set[index] && changes[index].was_known) write_value(changes[index].control, changes[index].before, NULL);
        }
        refresh();
        say("refused %s %s: %s", id, name, reason);
        return;
    }
    refresh();
    for (int index = 0; index < count; index += 1) describe(changes[index].control);
    say("done %s", id);
}

/// Sets features as the configuration has them.
static void apply(const char *setting) {
    const char *equals = strchr(setting, '=');
    char *name = g_strndup(setting, (gsize)(equals - setting));
    const char *value = equals + 1;
    ArvGcNode *node = arv_device_get_feature(device, name);
    GError *error = NULL;
    char *end = NULL;
    if (node == NULL || !ARV_IS_GC_FEATURE_NODE(node)) {
        fail("unsupportedControl", "the camera has no feature '%s'; `arv-tool-0.8 features` lists those that it has", name);
    } else if (ARV_IS_GC_COMMAND(node)) {
        arv_camera_execute_command(camera, name, &error);
    } else if (ARV_IS_GC_BOOLEAN(node)) {
        const bool is_on = strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0 || strcasecmp(value, "on") == 0;
        const bool is_off = strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0 || strcasecmp(value, "off") == 0;
        if (!is_on && !is_off) fail("unsupportedControl", "its feature '%s' cannot be '%s'; it is true or false", name, value);
        arv_camera_set_boolean(camera, name, is_on, &error);
    } else if (ARV_IS_GC_ENUMERATION(node) || ARV_IS_GC_STRING(node)) {
        arv_camera_set_string(camera, name, value, &error);
    } else if (ARV_IS_GC_FLOAT(node)) {
        const double number = g_ascii_strtod(value, &end);
        if (end == value || *end != 0) fail("unsupportedControl", "its feature '%s' cannot be '%s'; it is a number", name, value);
        arv_camera_set_float(camera, name, number, &error);
    } else if (ARV_IS_GC_INTEGER(node)) {
        const gint64 number = g_ascii_strtoll(value, &end, 0);
        if (end == value || *end != 0) fail("unsupportedControl", "its feature '%s' cannot be '%s'; it is a whole number", name, value);
        arv_camera_set_integer(camera, name, number, &error);
    } else {
        fail("unsupportedControl", "its feature '%s' is of a kind that cannot be set", name);
    }
    if (error != NULL) fail("unsupportedControl", "its feature '%s' cannot be '%s': %s", name, value, text(error));
    g_free(name);
}

// MARK: Clock

/// How the camera's clock is asked for its time.
enum clock_source {
    /// Not at all: a frame is as old as its first packet.
    no_clock,
    /// By GigE Vision's registers, which count ticks.
    by_registers,
    /// By the feature TimestampLatch, in nanoseconds.
    by_feature,
};

/// The camera's clock and this machine's CLOCK_MONOTONIC at one instant.
struct comparison {
    int64_t camera, monotonic, error;
};

enum { most_comparisons = 16, most_clock_failures = 3 };

static enum clock_source clock_source;
static struct comparison comparisons[most_comparisons];
static int comparison_count, clock_failures;
static uint64_t tick_frequency;

/// Compares the clocks once. The latch lies between the two instants around its request.
static bool compare(void) {
    const int64_t before = now(CLOCK_MONOTONIC);
    GError *error = NULL;
    int64_t after, value = -1;
    if (clock_source == by_registers) {
        if (!arv_device_write_register(device, 0x944, 2, NULL)) return false;
        after = now(CLOCK_MONOTONIC);
        guint32 high = 0, low = 0;
        if (!arv_device_read_register(device, 0x948, &high, NULL) || !arv_device_read_register(device, 0x94c, &low, NULL)) return false;
        const uint64_t ticks = (uint64_t)high << 32 | low;
        value = (int64_t)(ticks / tick_frequency * (uint64_t)second + ticks % tick_frequency * (uint64_t)second / tick_frequency);
    } else {
        arv_camera_execute_command(camera, "TimestampLatch", &error);
        after = now(CLOCK_MONOTONIC);
        if (error == NULL) value = arv_camera_get_integer(camera, "TimestampLatchValue", &error);
        const bool is_read = error == NULL;
        g_clear_error(&error);
        if (!is_read) return false;
    }
    if (comparison_count == most_comparisons) {
        memmove(comparisons, comparisons + 1, sizeof comparisons[0] * (most_comparisons - 1));
        comparison_count -= 1;
    }
    const int64_t half = (after - before) / 2;
    comparisons[comparison_count++] = (struct comparison){value, before + half, half + 1};
    return true;
}

/// Whether the camera's clock runs as a clock does, by the comparisons so far.
static bool is_plausible(void) {
    for (int index = 1; index < comparison_count; index += 1) {
        const struct comparison *a = &comparisons[index - 1], *b = &comparisons[index];
        const int64_t elapsed = b->monotonic - a->monotonic, told = b->camera - a->camera;
        if (told <= 0 || llabs(told - elapsed) > a->error + b->error + (int64_t)((double)elapsed * drift) + 1000) return false;
    }
    return comparison_count > 0;
}

/// Finds out how the camera's clock is read, if it can be.
static void find_clock(void) {
    const enum clock_source sources[] = {by_registers, by_feature};
    for (int index = 0; index < 2; index += 1) {
        clock_source = sources[index];
        if (clock_source == by_registers) {
            if (!is_gige) continue;
            tick_frequency = arv_gv_device_get_timestamp_tick_frequency(ARV_GV_DEVICE(device), NULL);
            if (tick_frequency == 0) continue;
        } else if (!arv_camera_is_feature_available(camera, "TimestampLatch", NULL)) {
            continue;
        }
        comparison_count = 0;
        bool is_read = true;
        for (int round = 0; round < 4 && is_read; round += 1) {
            is_read = compare();
            // Comparisons that follow each other at once share what delays them.
            g_usleep(5000);
        }
        if (is_read && is_plausible()) return;
    }
    clock_source = no_clock;
    comparison_count = 0;
    fprintf(stderr, "caprig-aravis: the camera's clock cannot be read, so its frames have the time at which they arrived\n");
}

/// Compares the clocks again. A clock that fails several times, or jumps, is not used after that.
static void keep_clock(void) {
    if (clock_source == no_clock) return;
    if (compare() && is_plausible()) {
        clock_failures = 0;
        return;
    }
    clock_failures += 1;
    // A clock that was set, as by PTP, is known again from here on.
    if (comparison_count > 1) {
        comparisons[0] = comparisons[comparison_count - 1];
        comparison_count = 1;
    }
    if (clock_failures < most_clock_failures) return;
    clock_source = no_clock;
    clock_failures = 0;
    fprintf(stderr, "caprig-aravis: the camera's clock is not regular, so its frames have the time at which they arrived\n");
}

/// Converts an instant of the camera's clock.
/// Returns false if it cannot be converted.
static bool to_monotonic(int64_t instant, int64_t *monotonic, int64_t *bound) {
    bool is_found = false;
    for (int index = 0; clock_source != no_clock && index < comparison_count; index += 1) {
        const struct comparison *each = &comparisons[index];
        const int64_t distance = instant - each->camera;
        const int64_t error = each->error + (int64_t)(fabs((double)distance) * drift);
        if (llabs(distance) > 60 * second || (is_found && error >= *bound)) continue;
        is_found = true;
        *monotonic = each->monotonic + distance;
        *bound = error;
    }
    return is_found;
}

// MARK: Frames

static uint64_t frame_count, incomplete_count, missing_count;
static uint64_t last_id, sequence;
static int64_t last_start, last_buffer;
static bool has_frame;
static int back_count;

enum { most_back = 4 };

/// Gives a frame a number that never wraps. GigE Vision's wrap after 16 bits and omit 0, unless they are extended.
/// Returns false for a number that goes back. Several in a row mean that the camera counts from the beginning.
static bool widen(uint64_t id, uint64_t *number) {
    const bool wraps = is_gige && last_id <= 65535 && id <= 65535;
    const uint64_t ahead = id > last_id ? id - last_id : wraps && id > 0 ? id + 65535 - last_id : 0;
    const bool goes_back = ahead == 0 || (wraps && ahead > 32768);
    if (has_frame && goes_back && (back_count += 1) < most_back) return false;
    if (has_frame) sequence += goes_back ? 1 : ahead;
    has_frame = true;
    back_count = 0;
    last_id = id;
    *number = sequence;
    return true;
}

/// Tells when a frame began, as well as is known.
static void tell_time(ArvBuffer *buffer, uint64_t number, double fps) {
    const int64_t monotonic = now(CLOCK_MONOTONIC);
    int64_t arrival = monotonic - (now(CLOCK_REALTIME) - (int64_t)arv_buffer_get_system_timestamp(buffer));
    if (arrival > monotonic || monotonic - arrival > 5 * second) arrival = monotonic;
    const struct control *exposure = find("exposure_time_absolute"), *gain = find("gain");
    const bool is_exposure_known = exposure != NULL && exposure->is_known && !exposure->is_inactive && exposure->value > 0;
    const bool is_gain_known = gain != NULL && gain->is_known && !gain->is_inactive && gain->value >= 0;
    const int64_t exposed = is_exposure_known ? exposure->value * 100000 : 0;
    // A frame's first packet is not sent before its exposure has ended.
    int64_t start = 0, bound = 0;
    if (!to_monotonic((int64_t)arv_buffer_get_timestamp(buffer), &start, &bound)) {
        start = arrival - exposed;
        bound = (int64_t)(1e9 / fps);
    }
    if (start > arrival - exposed) start = arrival - exposed;
    if (start <= last_start) start = last_start + 1;
    last_start = start;
    char exposure_text[24] = "-", gain_text[24] = "-";
    if (is_exposure_known) snprintf(exposure_text, sizeof exposure_text, "%" PRId64, exposed);
    if (is_gain_known) snprintf(gain_text, sizeof gain_text, "%" PRId64, gain->value);
    char camera_text[24] = "";
    const guint64 stamp = arv_buffer_get_timestamp(buffer);
    if (is_scheduled) snprintf(camera_text, sizeof camera_text, " %" PRIu64, (uint64_t)MIN(stamp, (guint64)INT64_MAX));
    say("%" PRIu64 " %" PRId64 " %s %s %" PRId64 "%s", number, start, exposure_text, gain_text, bound, camera_text);
}

enum { header_size = 64 };

/// The header of a frame, without its end, for which there is room.
static void write_header(char header[header_size]) {
    snprintf(header, header_size - 1, "frame %s %d %d %zu %s", format->fourcc, width, height, target_row() * (size_t)height,
        format->is_limited ? "limited" : "full");
}

/// Writes a frame, unless it is incomplete.
static void take(ArvBuffer *buffer, double fps) {
    const uint64_t before = sequence;
    const bool is_first = !has_frame;
    // Without its first packet, a buffer has the number and the bytes of an earlier frame, whatever its status.
    const bool has_leader = arv_buffer_get_system_timestamp(buffer) != 0;
    uint64_t number = 0;
    if (arv_buffer_get_status(buffer) != ARV_BUFFER_STATUS_SUCCESS || !has_leader || !widen(arv_buffer_get_frame_id(buffer), &number)) {
        incomplete_count += 1;
        return;
    }
    if (!is_first && number > before + 1) missing_count += number - before - 1;
    size_t size = 0;
    gint padding = 0, ignored = 0;
    const uint8_t *bytes = arv_buffer_get_image_data(buffer, &size);
    if (bytes != NULL) arv_buffer_get_image_padding(buffer, &padding, &ignored);
    const size_t stride = source_row() + (size_t)MAX(padding, 0);
    if (bytes == NULL || size < stride * (size_t)(height - 1) + source_row() || arv_buffer_get_image_pixel_format(buffer) != format->code
        || arv_buffer_get_image_width(buffer) != width || arv_buffer_get_image_height(buffer) != height) {
        incomplete_count += 1;
        return;
    }
    tell_time(buffer, number, fps);
    char header[header_size];
    const size_t byte_count = target_row() * (size_t)height;
    write_header(header);
    strcat(header, "\n");
    write_all(STDOUT_FILENO, header, strlen(header));
    if (format->conversion == as_is && padding <= 0) {
        write_all(STDOUT_FILENO, bytes, byte_count);
    } else {
        for (int row = 0; row < height; row += 1) convert(bytes + stride * (size_t)row, converted + target_row() * (size_t)row);
        write_all(STDOUT_FILENO, converted, byte_count);
    }
    frame_count += 1;
}

static void take_all(double fps) {
    eventfd_t count;
    eventfd_read(wake, &count);
    ArvBuffer *buffer;
    while ((buffer = arv_stream_try_pop_buffer(stream)) != NULL) {
        last_buffer = now(CLOCK_MONOTONIC);
        take(buffer, fps);
        arv_buffer_set_system_timestamp(buffer, 0);
        arv_stream_push_buffer(stream, buffer);
    }
}

// MARK: Actions

/// The first of some features that the camera has; NULL if it has none.
static const char *first_feature(const char *const names[]) {
    for (; *names != NULL; names += 1) {
        if (arv_camera_is_feature_available(camera, *names, NULL)) return *names;
    }
    return NULL;
}

/// Sets a feature without which the camera cannot expose at an action.
static void set_action_feature(const char *name, gint64 number, const char *word) {
    GError *error = NULL;
    if (!arv_camera_is_feature_available(camera, name, NULL)) {
        fail("unsupportedControl", "the camera has no feature '%s', which exposures at an instant need; set `exposure: free`", name);
    }
    if (word != NULL) {
        arv_camera_set_string(camera, name, word, &error);
    } else {
        arv_camera_set_integer(camera, name, number, &error);
    }
    if (error != NULL) {
        fail("unsupportedControl", "its feature '%s', which exposures at an instant need, cannot be set: %s; set `exposure: free`", name,
            text(error));
    }
}

/// The number of the first action that can be a trigger.
static int action_number(void) {
    guint count = 0;
    const char **sources = arv_camera_dup_available_enumerations_as_strings(camera, "TriggerSource", &count, NULL);
    int found = -1;
    for (int number = 0; number < 10 && found < 0; number += 1) {
        char name[16];
        snprintf(name, sizeof name, "Action%d", number);
        for (guint index = 0; sources != NULL && index < count; index += 1) {
            if (strcmp(sources[index], name) == 0) found = number;
        }
    }
    g_free(sources);
    if (found < 0) fail("unsupportedControl", "no action can be the camera's trigger (TriggerSource); set `exposure: free`");
    return found;
}

/// Lets the camera expose only at action commands with these keys, by a clock that follows PTP.
static void prepare_actions(const struct options *options) {
    GError *error = NULL;
    if (!is_gige) fail("unsupportedControl", "only cameras of GigE Vision can expose at an instant; set `exposure: free`");
    // GigE Vision 2.0: the bit of the GVCP capabilities for scheduled action commands. Others would act at once.
    guint32 capabilities = 0;
    arv_device_read_register(device, 0x934, &capabilities, &error);
    check(error, "its capabilities cannot be read");
    if ((capabilities & 0x20000) == 0) {
        fail("unsupportedControl", "the camera has no scheduled action commands; set `exposure: free`");
    }
    const char *const ptp = first_feature((const char *const[]){"PtpEnable", "GevIEEE1588", NULL});
    if (ptp == NULL) fail("unsupportedControl", "the camera has no PTP, which exposures at an instant need; set `exposure: free`");
    if (!arv_camera_get_boolean(camera, ptp, NULL)) arv_camera_set_boolean(camera, ptp, TRUE, &error);
    check(error, "its PTP cannot be turned on");
    const uint64_t frequency = arv_gv_device_get_timestamp_tick_frequency(ARV_GV_DEVICE(device), NULL);
    if (frequency != (uint64_t)second) {
        fail("unsupportedControl", "the camera's clock has %" PRIu64 " ticks a second, and one of PTP has 1000000000; set `exposure: free`",
            frequency);
    }
    const int number = action_number();
    char source[32];
    snprintf(source, sizeof source, "Action%d", number);
    set_action_feature("ActionDeviceKey", options->device_key, NULL);
    if (arv_camera_is_feature_available(camera, "ActionSelector", NULL)) set_action_feature("ActionSelector", number, NULL);
    set_action_feature("ActionGroupKey", options->group_key, NULL);
    set_action_feature("ActionGroupMask", options->group_mask, NULL);
    if (arv_camera_is_feature_available(camera, "TriggerSelector", NULL)) set_action_feature("TriggerSelector", 0, "FrameStart");
    set_action_feature("TriggerSource", 0, source);
    set_action_feature("TriggerMode", 0, "On");
    struct sockaddr_in place;
    if (!g_socket_address_to_native(arv_gv_device_get_device_address(ARV_GV_DEVICE(device)), &place, sizeof place, &error)) {
        fail("failed", "its address is not read: %s", text(error));
    }
    place.sin_port = htons(control_port);
    actions = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (actions < 0 || connect(actions, (const struct sockaddr *)&place, sizeof place) < 0) {
        fail("failed", "no socket for action commands can be made: %s", strerror(errno));
    }
}

/// Reads the first of some numbers that the camera has. Returns false if it has none.
static bool read_first(const char *const names[], gint64 *value) {
    GError *error = NULL;
    const char *const name = first_feature(names);
    if (name == NULL) return false;
    *value = arv_camera_get_integer(camera, name, &error);
    const bool is_read = error == NULL;
    g_clear_error(&error);
    return is_read;
}

/// The exposure time in nanoseconds; 0 if it is unknown, or an automatic mode decides it.
static int64_t exposure_nanoseconds(void) {
    GError *error = NULL;
    if (arv_camera_is_feature_available(camera, "ExposureAuto", NULL)) {
        const char *mode = arv_camera_get_string(camera, "ExposureAuto", &error);
        const bool is_manual = error == NULL && mode != NULL && strcmp(mode, "Off") == 0;
        g_clear_error(&error);
        if (!is_manual) return 0;
    }
    const double microseconds = arv_camera_get_exposure_time(camera, &error);
    const bool is_read = error == NULL && microseconds > 0 && microseconds < 3.6e9;
    g_clear_error(&error);
    return is_read ? llround(microseconds * 1000) : 0;
}

/// Compares the clocks several times. Returns the closest comparison; NULL if the camera's clock cannot be read.
static const struct comparison *closest_comparison(void) {
    // One that was not regular for a while, such as when PTP began to set it, may be so again.
    if (clock_source == no_clock) find_clock();
    for (int round = 0; round < 4 && clock_source != no_clock; round += 1) {
        if (!compare()) return NULL;
    }
    const struct comparison *best = NULL;
    for (int index = MAX(0, comparison_count - 4); clock_source != no_clock && index < comparison_count; index += 1) {
        if (best == NULL || comparisons[index].error < best->error) best = &comparisons[index];
    }
    return best;
}

/// Tells the state of PTP, the camera's clock and its exposure.
static void tell_state(const char *id) {
    const char *const latch = first_feature((const char *const[]){"PtpDataSetLatch", "GevIEEE1588DataSetLatch", NULL});
    if (latch != NULL) arv_camera_execute_command(camera, latch, NULL);
    const char *const name = first_feature((const char *const[]){"PtpStatus", "GevIEEE1588Status", NULL});
    const char *status = name != NULL ? arv_camera_get_string(camera, name, NULL) : NULL;
    char status_text[40] = "-", master_text[24] = "-", offset_text[24] = "-", exposure_text[24] = "-";
    if (status != NULL && status[0] != 0) snprintf(status_text, sizeof status_text, "%.*s", (int)MIN(strcspn(status, " "), (size_t)32), status);
    gint64 value = 0;
    if (read_first((const char *const[]){"PtpGrandmasterClockID", "PtpParentClockID", "GevIEEE1588ParentClockId", NULL}, &value)) {
        snprintf(master_text, sizeof master_text, "%016" PRIx64, (uint64_t)value);
    }
    if (read_first((const char *const[]){"PtpOffsetFromMaster", "GevIEEE1588OffsetFromMaster", NULL}, &value)) {
        snprintf(offset_text, sizeof offset_text, "%" PRId64, (int64_t)value);
    }
    const int64_t exposure = exposure_nanoseconds();
    if (exposure > 0) snprintf(exposure_text, sizeof exposure_text, "%" PRId64, exposure);
    const struct comparison *comparison = closest_comparison();
    if (comparison == NULL || comparison->camera < 0) {
        say("unready %s it does not answer, or does not run as a clock does", id);
        return;
    }
    say("state %s %s %s %s %" PRId64 " %" PRId64 " %" PRId64 " %s", id, status_text, master_text, offset_text, comparison->camera,
        comparison->monotonic, comparison->error, exposure_text);
}

/// Sends a packet to the camera. One that is lost is missing an answer, so the other side repeats it.
static void send_action(const char *digits) {
    uint8_t packet[most_packet];
    const size_t count = strlen(digits) / 2;
    if (count > sizeof packet) return;
    for (size_t index = 0; index < count; index += 1) {
        unsigned int byte = 0;
        if (sscanf(digits + 2 * index, "%2x", &byte) != 1) return;
        packet[index] = (uint8_t)byte;
    }
    const ssize_t sent = send(actions, packet, count, MSG_NOSIGNAL);
    if (sent != (ssize_t)count) fprintf(stderr, "caprig-aravis: an action command was not sent: %s\n", strerror(errno));
}

/// Tells what the camera has answered.
static void tell_answers(void) {
    uint8_t packet[most_packet];
    for (int round = 0; round < 16; round += 1) {
        // An error, such as of a port that nobody has, is read like a packet, and says nothing that a missing answer does not.
        const ssize_t count = recv(actions, packet, sizeof packet, MSG_DONTWAIT);
        if (count <= 0) return;
        char digits[2 * most_packet + 1] = "";
        for (ssize_t index = 0; index < count; index += 1) snprintf(digits + 2 * index, 3, "%02x", packet[index]);
        say("datagram %s", digits);
    }
}

// MARK: The camera

/// On a thread of Aravis.
static void note_buffer(ArvStream *unused, void *data) {
    (void)unused, (void)data;
    eventfd_write(wake, 1);
}

/// On a thread of Aravis.
static void note_loss(ArvDevice *unused, void *data) {
    (void)unused, (void)data;
    g_atomic_int_set(&is_lost, 1);
    eventfd_write(wake, 1);
}

static void list(void) {
    arv_update_device_list();
    for (unsigned int index = 0; index < arv_get_n_devices(); index += 1) {
        const char *words[] = {arv_get_device_serial_nbr(index), arv_get_device_vendor(index), arv_get_device_model(index),
            arv_get_device_protocol(index), arv_get_device_address(index)};
        for (int word = 0; word < 5; word += 1) {
            for (const char *letter = words[word] != NULL ? words[word] : ""; *letter != 0; letter += 1) {
                putchar((unsigned char)*letter < ' ' ? ' ' : *letter);
            }
            putchar(word < 4 ? '\t' : '\n');
        }
    }
}

/// Returns Aravis' name of the camera with a serial number.
static const char *with_serial(const char *serial) {
    arv_update_device_list();
    const char *found = NULL;
    char others[128] = "";
    for (unsigned int index = 0; index < arv_get_n_devices(); index += 1) {
        const char *told = arv_get_device_serial_nbr(index);
        if (told != NULL && strcmp(told, serial) == 0) {
            if (found != NULL) fail("failed", "two cameras have the serial number %s; name one by its address", serial);
            found = arv_get_device_id(index);
        } else if (told != NULL) {
            snprintf(others + strlen(others), sizeof others - strlen(others), " %s", told);
        }
    }
    if (found == NULL) {
        fail("absent", "Aravis finds no camera with the serial number %s; it finds%s", serial, others[0] != 0 ? others : " none");
    }
    return found;
}

static void open_camera(const struct options *options) {
    GError *error = NULL;
    const char *name = options->address != NULL ? options->address : with_serial(options->serial);
    camera = arv_camera_new(name, &error);
    if (camera == NULL && options->address != NULL && error == NULL) fail("absent", "no camera answers at %s", options->address);
    if (camera == NULL) {
        fail(g_error_matches(error, ARV_DEVICE_ERROR, ARV_DEVICE_ERROR_NOT_CONTROLLER) ? "busy" : "absent",
            "the camera %s cannot be opened: %s", name, text(error));
    }
    device = arv_camera_get_device(camera);
    is_gige = ARV_IS_GV_DEVICE(device);
    if (is_gige && !arv_gv_device_is_controller(ARV_GV_DEVICE(device))) {
        is_gige = false;
        fail("busy", "another program controls the camera %s, or has ended without freeing it some seconds ago", name);
    }
    g_signal_connect(device, "control-lost", G_CALLBACK(note_loss), NULL);
    const char *vendor = arv_camera_get_vendor_name(camera, NULL), *model = arv_camera_get_model_name(camera, NULL);
    const char *serial = arv_camera_get_device_serial_number(camera, NULL);
    if (vendor != NULL && vendor[0] != 0) say("hardware make %s", vendor);
    if (model != NULL && model[0] != 0) say("hardware model %s", model);
    if (serial == NULL || serial[0] == 0) serial = options->serial;
    if (serial != NULL) say("hardware serial %s", serial);
}

static void start(const struct options *options) {
    GError *error = NULL;
    if (arv_camera_are_chunks_available(camera, NULL)) arv_camera_set_chunk_mode(camera, FALSE, NULL);
    if (is_gige && options->packet_size > 0) {
        arv_camera_gv_set_packet_size_adjustment(camera, ARV_GV_PACKET_SIZE_ADJUSTMENT_NEVER);
        arv_camera_gv_set_packet_size(camera, options->packet_size, &error);
        check(error, "its packet size cannot be set");
    }
    stream = arv_camera_create_stream(camera, NULL, NULL, &error);
    check(error, "its stream cannot be opened");
    if (stream == NULL) fail("failed", "its stream cannot be opened");
    if (ARV_IS_GV_STREAM(stream)) {
        g_object_set(stream, "packet-resend", options->resends ? ARV_GV_STREAM_PACKET_RESEND_ALWAYS : ARV_GV_STREAM_PACKET_RESEND_NEVER, NULL);
    }
    const guint payload = arv_camera_get_payload(camera, &error);
    check(error, "the size of its frames cannot be read");
    if (payload == 0 || payload > largest_frame) fail("failed", "the camera tells frames of %u bytes", payload);
    const int wanted = (int)(most_buffer_bytes / payload), buffers = wanted < 4 ? 4 : wanted > 32 ? 32 : wanted;
    for (int index = 0; index < buffers; index += 1) arv_stream_push_buffer(stream, arv_buffer_new_allocate(payload));
    g_signal_connect(stream, "new-buffer", G_CALLBACK(note_buffer), NULL);
    arv_stream_set_emit_signals(stream, TRUE);
    arv_camera_start_acquisition(camera, &error);
    check(error, "it does not start");
    is_running = true;
    char packets[40] = "";
    const guint packet_size = is_gige ? arv_camera_gv_get_packet_size(camera, NULL) : 0;
    if (packet_size > 0) snprintf(packets, sizeof packets, ", packets of %u bytes", packet_size);
    fprintf(stderr, "caprig-aravis: %s %dx%d at %g frames per second%s\n", format->fourcc, width, height, options->fps, packets);
    if (!is_scheduled) return;
    char header[header_size];
    write_header(header);
    say("ready %s", header);
}

/// Reads changes of controls. Returns false once standard input has ended.
static bool read_changes(void) {
    static char input[4096];
    static size_t input_count;
    const ssize_t count = read(STDIN_FILENO, input + input_count, sizeof input - input_count);
    if (count <= 0) return count < 0 && errno == EINTR;
    input_count += (size_t)count;
    char *end;
    while ((end = memchr(input, '\n', input_count)) != NULL) {
        *end = 0;
        if (is_scheduled && strncmp(input, "state ", 6) == 0) {
            tell_state(input + 6);
        } else if (is_scheduled && strncmp(input, "action ", 7) == 0) {
            send_action(input + 7);
        } else {
            set_controls(input);
        }
        const size_t used = (size_t)(end - input) + 1;
        memmove(input, input + used, input_count - used);
        input_count -= used;
    }
    if (input_count == sizeof input) fail("failed", "a line of standard input is longer than %zu bytes", sizeof input);
    return true;
}

/// Ends the program if a camera that has sent nothing for a while does not answer either.
static void look_after(double fps) {
    const int64_t time = now(CLOCK_MONOTONIC), patience = MAX(silence_period, (int64_t)(4e9 / fps));
    if (time - last_buffer < patience) return;
    GError *error = NULL;
    arv_camera_get_integer(camera, "Width", &error);
    if (error != NULL) fail("absent", "the camera does not answer any longer: %s", text(error));
    last_buffer = time;
}

static void run(double fps) {
    last_buffer = now(CLOCK_MONOTONIC);
    struct stat kind;
    const bool is_fed = tells && fstat(STDIN_FILENO, &kind) == 0 && (S_ISFIFO(kind.st_mode) || S_ISSOCK(kind.st_mode));
    struct pollfd waits[] = {{signals, POLLIN, 0}, {wake, POLLIN, 0}, {is_fed ? STDIN_FILENO : -1, POLLIN, 0}, {actions, POLLIN, 0}};
    int64_t next_clock = now(CLOCK_MONOTONIC) + clock_period, next_controls = now(CLOCK_MONOTONIC) + controls_period;
    while (true) {
        const int64_t next = clock_failures == 0 ? MIN(next_clock, next_controls) : next_clock;
        const int64_t left = next - now(CLOCK_MONOTONIC);
        if (poll(waits, 4, left > 0 ? (int)(left / 1000000) + 1 : 0) < 0 && errno != EINTR) fail("failed", "poll: %s", strerror(errno));
        if (g_atomic_int_get(&is_lost)) fail("absent", "the camera has given up its controller");
        if (waits[0].revents != 0) return;
        if (waits[1].revents != 0) take_all(fps);
        if (waits[3].revents != 0) tell_answers();
        // The other side has ended.
        if (waits[2].revents != 0 && !read_changes()) return;
        look_after(fps);
        const int64_t time = now(CLOCK_MONOTONIC);
        if (time >= next_clock) {
            keep_clock();
            next_clock = now(CLOCK_MONOTONIC) + clock_period;
        }
        // A camera that did not answer is not asked for anything else at once.
        if (time >= next_controls && clock_failures == 0) {
            refresh();
            next_controls = now(CLOCK_MONOTONIC) + controls_period;
        }
    }
}

int main(int count, char *words[]) {
    bool is_list = false;
    tells = fcntl(told_file, F_GETFD) >= 0;
    const struct options options = parse(count, words, &is_list);
    if (is_list) {
        list();
        return 0;
    }
    // Before Aravis starts its threads, so that they block them too.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    signals = signalfd(-1, &ends, SFD_CLOEXEC);
    wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (signals < 0 || wake < 0) fail("failed", "no event can be made: %s", strerror(errno));
    // Fewer waits for the other side; it may be refused.
    fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 1 << 20);
    unblock(STDOUT_FILENO);
    if (tells) unblock(told_file);
    open_camera(&options);
    // What people have written is checked. Otherwise descriptions of cameras are not always true.
    arv_camera_set_range_check_policy(camera, ARV_RANGE_CHECK_POLICY_ENABLE);
    for (int index = 0; index < options.setting_count; index += 1) apply(options.settings[index]);
    arv_camera_set_range_check_policy(camera, ARV_RANGE_CHECK_POLICY_DISABLE);
    set_format(&options);
    set_rate(options.fps);
    add_controls(&options);
    if (is_scheduled) prepare_actions(&options);
    find_clock();
    start(&options);
    run(options.fps);
    release();
    fprintf(stderr, "caprig-aravis: %" PRIu64 " frames, %" PRIu64 " numbers missing, %" PRIu64 " buffers incomplete\n", frame_count,
        missing_count, incomplete_count);
    _exit(0);
}
