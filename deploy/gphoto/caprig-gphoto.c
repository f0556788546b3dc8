// Drives one camera with the machine's libgphoto2, for the backend `gphoto` of capagentd, which starts this program for each camera.
//
//   caprig-gphoto [--serial NUMBER] [--port PORT] [--camera MODEL]
//   caprig-gphoto --list        prints a line for each camera on USB: port, model and serial number
//
// It reads a request a line from its standard input and writes lines to its standard output. The words of a line are separated by tabs.
// Instants are nanoseconds of CLOCK_MONOTONIC. IDs are chosen by the other side.
//
//   take ID INSTANT             asks the camera for a picture at the instant, or at once if that has passed
//       taking ID BEFORE AFTER      the instants before it was asked and after it has accepted
//   fetch ID FOLDER NAME        sends a file, in parts between which other requests are carried out
//       data ID COUNT               and that many bytes
//       fetched ID SIZE
//   delete ID FOLDER NAME       removes a file from the card
//       done ID
//   set ID NAME VALUE           sets an entry of the camera's configuration
//       value ID VALUE              what it is then
//   any request                     failed ID CODE REASON
//
// By itself it writes, at first and whenever it happens:
//
//   camera MAKE MODEL SERIAL PORT
//   ready
//   added INSTANT SINCE FOLDER NAME SIZE    the camera has told that it has stored a file, between the second instant and the first
//   lost CODE REASON                        the camera is gone; the program ends
//
// CODE is one of libgphoto2, such as -110 for a camera that is busy. The program ends with its standard input.
#include <errno.h>
#include <gphoto2/gphoto2.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

enum {
    line_size = 4096,
    most_words = 4,
    /// Both files of each picture that may be asked for at once.
    most_requests = 128,
    /// Bytes of a file that are read before other requests are looked at: a tenth of a second over USB 2.
    part_size = 1 << 20,
    /// How long the camera is asked for events before requests are looked at, in milliseconds.
    event_milliseconds = 20,
    /// Events that may fail one after another before the camera is given up.
    most_failed_events = 1000,
    /// How long before its instant a picture's request is waited for, and nothing else is done, in nanoseconds.
    quiet_nanoseconds = 60000000,
    status_usage = 64,
    status_failed = 1,
    status_lost = 3,
};

/// A request that waits for its turn.
struct request {
    char id[32];
    /// Of a picture.
    int64_t instant;
    /// Of a file.
    char folder[PATH_MAX], name[NAME_MAX + 1];
    uint64_t offset, size;
    bool is_begun;
};

struct queue {
    struct request items[most_requests];
    int count;
};

static GPContext *context;
static Camera *camera;
static char last_error[512];
static struct queue pictures, files;
/// Nothing of the camera's events from before this instant is unread.
static int64_t seen;
static char input[line_size];
static size_t input_count;
/// Events since the last one that did not fail.
static int failed_events;
/// Whether the camera can send parts of files.
static bool sends_parts = true;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_until(int64_t instant) {
    const struct timespec time = {.tv_sec = instant / 1000000000, .tv_nsec = instant % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

static void write_all(const char *bytes, size_t count) {
    while (count > 0) {
        const ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        // Nobody reads any longer.
        if (written <= 0) _exit(status_failed);
        bytes += written;
        count -= (size_t)written;
    }
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char line[line_size + PATH_MAX];
    va_list values;
    va_start(values, format);
    int count = vsnprintf(line, sizeof line - 1, format, values);
    va_end(values);
    if (count < 0) return;
    if ((size_t)count > sizeof line - 2) count = sizeof line - 2;
    // What a camera says has no part in the form of a line.
    for (int index = 0; index < count; index += 1) {
        if ((unsigned char)line[index] < ' ' && line[index] != '\t') line[index] = ' ';
    }
    line[count] = '\n';
    write_all(line, (size_t)count + 1);
}

static void note_error(GPContext *unused, const char *text, void *data) {
    (void)unused, (void)data;
    snprintf(last_error, sizeof last_error, "%s", text);
    for (char *tab = last_error; *tab != 0; tab += 1) {
        if (*tab == '\t') *tab = ' ';
    }
}

/// What libgphoto2 said of the last failure.
static const char *reason(int code) { return last_error[0] != 0 ? last_error : gp_result_as_string(code); }

static void failed(const char *id, int code) { say("failed\t%s\t%d\t%s", id, code, reason(code)); }

/// Whether a failure means that the camera does not answer any longer.
static bool is_lost(int code) {
    return code <= GP_ERROR_IO && code > -100 && code != GP_ERROR_TIMEOUT && code != GP_ERROR_IO_SUPPORTED_SERIAL;
}

static void end_if_lost(int code) {
    if (!is_lost(code)) return;
    say("lost\t%d\t%s", code, reason(code));
    _exit(status_lost);
}

// MARK: The camera

/// Whether two serial numbers are equal, apart from the zeros in front that some cameras add.
static bool is_same_serial(const char *left, const char *right) {
    while (*left == '0') left += 1;
    while (*right == '0') right += 1;
    return strcmp(left, right) == 0;
}

/// Reads a line of a file.
static bool read_text(char *text, size_t size, const char *folder, const char *name) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/sys/bus/usb/devices/%.200s/%.40s", folder, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) return false;
    const bool is_read = fgets(text, (int)size, file) != NULL;
    fclose(file);
    if (is_read) text[strcspn(text, "\r\n")] = 0;
    return is_read;
}

/// The serial number that the kernel has read of the device at a port such as `usb:001,005`. Nothing is opened.
static bool usb_serial(const char *port, char *serial, size_t size) {
    int bus, device;
    if (sscanf(port, "usb:%d,%d", &bus, &device) != 2) return false;
    DIR *devices = opendir("/sys/bus/usb/devices");
    if (devices == NULL) return false;
    bool is_found = false;
    for (const struct dirent *entry; !is_found && (entry = readdir(devices)) != NULL;) {
        char number[32];
        if (!read_text(number, sizeof number, entry->d_name, "busnum") || atoi(number) != bus) continue;
        if (!read_text(number, sizeof number, entry->d_name, "devnum") || atoi(number) != device) continue;
        is_found = read_text(serial, size, entry->d_name, "serial");
    }
    closedir(devices);
    return is_found;
}

/// Copies an entry of the camera's configuration. Empty if there is none.
static void get_text(const char *name, char *text, size_t size) {
    text[0] = 0;
    CameraWidget *widget = NULL;
    if (gp_camera_get_single_config(camera, name, &widget, context) < GP_OK) return;
    const char *value = NULL;
    CameraWidgetType type;
    if (gp_widget_get_type(widget, &type) == GP_OK && type == GP_WIDGET_TEXT &&
        gp_widget_get_value(widget, &value) == GP_OK && value != NULL) {
        snprintf(text, size, "%s", value);
        for (char *tab = text; *tab != 0; tab += 1) {
            if (*tab == '\t') *tab = ' ';
        }
    }
    gp_widget_free(widget);
}

static int open_camera(const char *port, const char *model) {
    last_error[0] = 0;
    int code = gp_camera_new(&camera);
    if (code < GP_OK) return code;
    CameraAbilitiesList *models = NULL;
    GPPortInfoList *ports = NULL;
    CameraAbilities abilities;
    GPPortInfo info;
    code = gp_abilities_list_new(&models);
    if (code >= GP_OK) code = gp_abilities_list_load(models, context);
    if (code >= GP_OK) code = gp_abilities_list_lookup_model(models, model);
    if (code >= GP_OK) code = gp_abilities_list_get_abilities(models, code, &abilities);
    if (code >= GP_OK) code = gp_camera_set_abilities(camera, abilities);
    if (code >= GP_OK) code = gp_port_info_list_new(&ports);
    if (code >= GP_OK) code = gp_port_info_list_load(ports);
    if (code >= GP_OK) code = gp_port_info_list_lookup_path(ports, port);
    if (code >= GP_OK) code = gp_port_info_list_get_info(ports, code, &info);
    if (code >= GP_OK) code = gp_camera_set_port_info(camera, info);
    if (code >= GP_OK) code = gp_camera_init(camera, context);
    if (ports != NULL) gp_port_info_list_free(ports);
    if (models != NULL) gp_abilities_list_free(models);
    if (code >= GP_OK) return GP_OK;
    gp_camera_unref(camera);
    camera = NULL;
    return code;
}

static void close_camera(void) {
    gp_camera_exit(camera, context);
    gp_camera_unref(camera);
    camera = NULL;
}

static CameraList *found_cameras(void) {
    CameraList *list = NULL;
    if (gp_list_new(&list) < GP_OK) return NULL;
    gp_camera_autodetect(list, context);
    return list;
}

static int list_cameras(void) {
    CameraList *list = found_cameras();
    const int count = list == NULL ? 0 : gp_list_count(list);
    for (int index = 0; index < count; index += 1) {
        const char *model = "", *port = "";
        char serial[256] = "";
        gp_list_get_name(list, index, &model);
        gp_list_get_value(list, index, &port);
        usb_serial(port, serial, sizeof serial);
        say("%s\t%s\t%s", port, model, serial);
    }
    return 0;
}

/// Opens the only camera that fits. Says why if there is none.
static int find_camera(const char *wanted, const char *only_port, const char *only_model, char *serial, size_t size, char *used) {
    if (only_port != NULL && strncmp(only_port, "usb:", 4) != 0) {
        const int code = open_camera(only_port, only_model != NULL ? only_model : "PTP/IP Camera");
        if (code < GP_OK) {
            say("lost\t%d\t%s", code, reason(code));
            return status_lost;
        }
        get_text("serialnumber", serial, size);
        snprintf(used, PATH_MAX, "%s", only_port);
        if (wanted == NULL || is_same_serial(serial, wanted)) return 0;
        say("lost\t%d\tthe camera at %s has the serial number %s", GP_ERROR_MODEL_NOT_FOUND, only_port, serial);
        close_camera();
        return status_lost;
    }
    CameraList *list = found_cameras();
    const int count = list == NULL ? 0 : gp_list_count(list);
    int refusal = GP_ERROR_MODEL_NOT_FOUND, matches = 0;
    char why[600] = "no such camera is connected, or it sleeps";
    // Those whose number the kernel knows first: the others must be opened to tell, which disturbs them.
    for (int round = 0; round < 2 && camera == NULL; round += 1) {
        for (int index = 0; index < count && camera == NULL; index += 1) {
            const char *model = NULL, *port = NULL;
            gp_list_get_name(list, index, &model);
            gp_list_get_value(list, index, &port);
            if (port == NULL || (only_port != NULL && strcmp(port, only_port) != 0)) continue;
            if (only_model != NULL && strcmp(model, only_model) != 0) continue;
            char known[256] = "";
            usb_serial(port, known, sizeof known);
            const bool is_known = wanted != NULL && known[0] != 0 && is_same_serial(known, wanted);
            if ((round == 0) != is_known && wanted != NULL) continue;
            if (wanted == NULL && round == 0) {
                matches += 1;
                continue;
            }
            if (wanted == NULL && matches > 1) {
                say("lost\t%d\t%d cameras are connected; name one by its serial number", GP_ERROR_BAD_PARAMETERS, matches);
                return status_lost;
            }
            const int code = open_camera(port, model);
            if (code < GP_OK) {
                refusal = code;
                snprintf(why, sizeof why, "%s at %s: %s", model, port, reason(code));
                continue;
            }
            get_text("serialnumber", serial, size);
            if (serial[0] == 0) snprintf(serial, size, "%s", known);
            snprintf(used, PATH_MAX, "%s", port);
            if (wanted == NULL || is_known || is_same_serial(serial, wanted)) break;
            close_camera();
        }
    }
    if (camera != NULL) return 0;
    say("lost\t%d\t%s", refusal, why);
    return status_lost;
}

// MARK: Requests

static void remove_first(struct queue *queue) {
    queue->count -= 1;
    memmove(&queue->items[0], &queue->items[1], sizeof queue->items[0] * (size_t)queue->count);
}

static struct request *add(struct queue *queue, const char *id) {
    if (queue->count == most_requests) {
        say("failed\t%s\t%d\t%d requests are waiting", id, GP_ERROR_CAMERA_BUSY, most_requests);
        return NULL;
    }
    struct request *added = &queue->items[queue->count];
    queue->count += 1;
    memset(added, 0, sizeof *added);
    snprintf(added->id, sizeof added->id, "%s", id);
    return added;
}

static void take_picture(void) {
    struct request picture = pictures.items[0];
    remove_first(&pictures);
    wait_until(picture.instant);
    last_error[0] = 0;
    const int64_t before = now();
    const int code = gp_camera_trigger_capture(camera, context);
    const int64_t after = now();
    if (code >= GP_OK) return say("taking\t%s\t%lld\t%lld", picture.id, (long long)before, (long long)after);
    failed(picture.id, code);
    end_if_lost(code);
}

static void send_bytes(const char *id, const char *bytes, size_t count) {
    say("data\t%s\t%zu", id, count);
    write_all(bytes, count);
}

/// Sends a file as a whole.
static int send_file(const struct request *file) {
    CameraFile *content = NULL;
    const char *bytes = NULL;
    unsigned long count = 0;
    int code = gp_file_new(&content);
    if (code >= GP_OK) code = gp_camera_file_get(camera, file->folder, file->name, GP_FILE_TYPE_NORMAL, content, context);
    if (code >= GP_OK) code = gp_file_get_data_and_size(content, &bytes, &count);
    if (code >= GP_OK) {
        send_bytes(file->id, bytes, count);
        say("fetched\t%s\t%lu", file->id, count);
    }
    if (content != NULL) gp_file_unref(content);
    return code;
}

/// Sends the next part of a file.
/// Returns 1 when the file is complete, 0 if more remains.
static int send_part(struct request *file) {
    static char part[part_size];
    if (!file->is_begun) {
        CameraFileInfo info;
        const int code = gp_camera_file_get_info(camera, file->folder, file->name, &info, context);
        if (code < GP_OK) return code;
        if ((info.file.fields & GP_FILE_INFO_SIZE) == 0) sends_parts = false;
        file->size = info.file.size;
        file->is_begun = true;
    }
    if (sends_parts) {
        uint64_t count = sizeof part;
        if (count > file->size - file->offset) count = file->size - file->offset;
        const int code =
            gp_camera_file_read(camera, file->folder, file->name, GP_FILE_TYPE_NORMAL, file->offset, part, &count, context);
        if (code >= GP_OK) {
            if (count == 0 && file->offset < file->size) return GP_ERROR_CORRUPTED_DATA;
            send_bytes(file->id, part, count);
            file->offset += count;
            if (file->offset < file->size) return 0;
            say("fetched\t%s\t%llu", file->id, (unsigned long long)file->size);
            return 1;
        }
        if (code != GP_ERROR_NOT_SUPPORTED || file->offset > 0) return code;
        sends_parts = false;
    }
    const int code = send_file(file);
    return code < GP_OK ? code : 1;
}

static void continue_file(void) {
    last_error[0] = 0;
    const int code = send_part(&files.items[0]);
    if (code == 0) return;
    if (code < GP_OK) failed(files.items[0].id, code);
    remove_first(&files);
    if (code < GP_OK) end_if_lost(code);
}

static void delete_file(const char *id, const char *folder, const char *name) {
    const int code = gp_camera_file_delete(camera, folder, name, context);
    if (code >= GP_OK) return say("done\t%s", id);
    failed(id, code);
    end_if_lost(code);
}

static int set_widget(CameraWidget *widget, const char *value) {
    CameraWidgetType type;
    int code = gp_widget_get_type(widget, &type);
    if (code < GP_OK) return code;
    char *end = NULL;
    switch (type) {
    case GP_WIDGET_TOGGLE:
    case GP_WIDGET_DATE: {
        const int number = (int)strtol(value, &end, 10);
        return *value == 0 || *end != 0 ? GP_ERROR_BAD_PARAMETERS : gp_widget_set_value(widget, &number);
    }
    case GP_WIDGET_RANGE: {
        const float number = strtof(value, &end);
        return *value == 0 || *end != 0 ? GP_ERROR_BAD_PARAMETERS : gp_widget_set_value(widget, &number);
    }
    case GP_WIDGET_RADIO:
    case GP_WIDGET_MENU: {
        // The camera's own words, of which libgphoto2 checks nothing.
        const int count = gp_widget_count_choices(widget);
        size_t length = (size_t)snprintf(last_error, sizeof last_error, "it is one of");
        for (int index = 0; index < count; index += 1) {
            const char *choice = NULL;
            if (gp_widget_get_choice(widget, index, &choice) < GP_OK) continue;
            if (strcmp(choice, value) == 0) {
                last_error[0] = 0;
                return gp_widget_set_value(widget, value);
            }
            if (length < sizeof last_error)
                length += (size_t)snprintf(last_error + length, sizeof last_error - length, " '%s'", choice);
        }
        return GP_ERROR_BAD_PARAMETERS;
    }
    default: return gp_widget_set_value(widget, value);
    }
}

static int widget_text(CameraWidget *widget, char *text, size_t size) {
    CameraWidgetType type;
    int code = gp_widget_get_type(widget, &type);
    if (code < GP_OK) return code;
    int whole = 0;
    float number = 0;
    const char *words = NULL;
    switch (type) {
    case GP_WIDGET_TOGGLE:
    case GP_WIDGET_DATE:
        code = gp_widget_get_value(widget, &whole);
        snprintf(text, size, "%d", whole);
        return code;
    case GP_WIDGET_RANGE:
        code = gp_widget_get_value(widget, &number);
        snprintf(text, size, "%g", number);
        return code;
    default:
        code = gp_widget_get_value(widget, &words);
        snprintf(text, size, "%s", code >= GP_OK && words != NULL ? words : "");
        return code;
    }
}

static void set_entry(const char *id, const char *name, const char *value) {
    CameraWidget *widget = NULL;
    char text[512] = "";
    int code = gp_camera_get_single_config(camera, name, &widget, context);
    if (code >= GP_OK) code = set_widget(widget, value);
    if (code >= GP_OK) code = gp_camera_set_single_config(camera, name, widget, context);
    if (widget != NULL) gp_widget_free(widget);
    widget = NULL;
    // Read back, since cameras accept what they do not do.
    if (code >= GP_OK) code = gp_camera_get_single_config(camera, name, &widget, context);
    if (code >= GP_OK) code = widget_text(widget, text, sizeof text);
    if (widget != NULL) gp_widget_free(widget);
    if (code >= GP_OK) return say("value\t%s\t%s", id, text);
    failed(id, code);
    end_if_lost(code);
}

static void handle(char *line) {
    char *words[most_words] = {"", "", "", ""};
    int count = 0;
    for (char *word = line; word != NULL && count < most_words; count += 1) words[count] = strsep(&word, "\t");
    last_error[0] = 0;
    if (strcmp(words[0], "take") == 0) {
        struct request *picture = add(&pictures, words[1]);
        if (picture != NULL) picture->instant = strtoll(words[2], NULL, 10);
    } else if (strcmp(words[0], "fetch") == 0) {
        struct request *file = add(&files, words[1]);
        if (file == NULL) return;
        snprintf(file->folder, sizeof file->folder, "%s", words[2]);
        snprintf(file->name, sizeof file->name, "%s", words[3]);
    } else if (strcmp(words[0], "delete") == 0) {
        delete_file(words[1], words[2], words[3]);
    } else if (strcmp(words[0], "set") == 0) {
        set_entry(words[1], words[2], words[3]);
    } else {
        say("failed\t%s\t%d\tthere is no request '%s'", words[1], GP_ERROR_BAD_PARAMETERS, words[0]);
    }
}

/// Reads what is there of the standard input, and carries out whole lines.
static void read_requests(int milliseconds) {
    struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&wait, 1, milliseconds) <= 0) return;
    const ssize_t count = read(STDIN_FILENO, input + input_count, sizeof input - input_count);
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
        close_camera();
        exit(0);
    }
    input_count += (size_t)count;
    char *line = input;
    for (char *end; (end = memchr(line, '\n', (size_t)(input + input_count - line))) != NULL; line = end + 1) {
        *end = 0;
        handle(line);
    }
    input_count = (size_t)(input + input_count - line);
    memmove(input, line, input_count);
    if (input_count == sizeof input) exit(status_usage);
}

// MARK: Events

static void note_added(const CameraFilePath *path, int64_t instant) {
    // A name that would be taken for two words; nobody could ask for it either.
    if (strchr(path->folder, '\t') != NULL || strchr(path->name, '\t') != NULL) return;
    CameraFileInfo info;
    memset(&info, 0, sizeof info);
    const int code = gp_camera_file_get_info(camera, path->folder, path->name, &info, context);
    const bool has_size = code >= GP_OK && (info.file.fields & GP_FILE_INFO_SIZE) != 0;
    say("added\t%lld\t%lld\t%s\t%s\t%llu", (long long)instant, (long long)seen, path->folder, path->name,
        has_size ? (unsigned long long)info.file.size : 0ULL);
}

/// Looks for events of the camera, for a limited time.
static void look_for_event(int milliseconds) {
    CameraEventType type = GP_EVENT_UNKNOWN;
    void *data = NULL;
    last_error[0] = 0;
    const int64_t begin = now();
    const int code = gp_camera_wait_for_event(camera, milliseconds, &type, &data, context);
    const int64_t instant = now();
    if (code >= GP_OK && type == GP_EVENT_FILE_ADDED) note_added(data, instant);
    if (code >= GP_OK && type == GP_EVENT_TIMEOUT) seen = begin;
    free(data);
    // Such as an event of a property or a file that the camera does not have. The next ones can be read all the same.
    failed_events = code < GP_OK ? failed_events + 1 : 0;
    if (is_lost(code) || code == GP_ERROR_TIMEOUT || failed_events > most_failed_events) {
        say("lost\t%d\t%s", code, reason(code));
        _exit(status_lost);
    }
}

/// Ends the program with its standard input, even while a call of libgphoto2 does not return.
static void *watch_input(void *unused) {
    (void)unused;
    struct pollfd wait = {.fd = STDIN_FILENO, .events = 0};
    while (poll(&wait, 1, -1) < 0 && errno == EINTR) {}
    // The camera is closed properly, if it answers.
    sleep(2);
    _exit(0);
}

static void serve(void) {
    while (true) {
        read_requests(0);
        const int64_t left = pictures.count > 0 ? pictures.items[0].instant - now() : INT64_MAX;
        if (left <= quiet_nanoseconds) {
            take_picture();
        } else if (files.count > 0) {
            look_for_event(1);
            continue_file();
        } else {
            look_for_event(event_milliseconds);
        }
    }
}

int main(int count, char *words[]) {
    const char *serial = NULL, *port = NULL, *model = NULL;
    bool lists = false;
    for (int index = 1; index < count; index += 1) {
        const char **value = strcmp(words[index], "--serial") == 0 ? &serial
            : strcmp(words[index], "--port") == 0                  ? &port
            : strcmp(words[index], "--camera") == 0                ? &model
                                                                   : NULL;
        if (strcmp(words[index], "--list") == 0) {
            lists = true;
        } else if (value != NULL && index + 1 < count) {
            *value = words[index += 1];
        } else {
            fprintf(stderr, "usage: caprig-gphoto [--serial NUMBER] [--port PORT] [--camera MODEL] | --list\n");
            return status_usage;
        }
    }
    context = gp_context_new();
    gp_context_set_error_func(context, note_error, NULL);
    if (lists) return list_cameras();
    pthread_t watch;
    if (pthread_create(&watch, NULL, watch_input, NULL) != 0) return status_failed;
    char used[PATH_MAX] = "", number[256] = "", make[256], name[256];
    const int status = find_camera(serial, port, model, number, sizeof number, used);
    if (status != 0) return status;
    get_text("manufacturer", make, sizeof make);
    get_text("cameramodel", name, sizeof name);
    say("camera\t%s\t%s\t%s\t%s", make, name, number, used);
    seen = now();
    say("ready");
    serve();
}
