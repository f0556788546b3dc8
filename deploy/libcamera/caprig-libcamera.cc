// A camera of this machine's libcamera as a program that the `command` camera of Caprig runs (docs/command-camera.md): pictures as JPEG, or
// the samples of a color sensor, on standard output, their times and the controls on descriptor 3, changes of controls on standard input.
//
// libcamera's interface changes with each minor version, so this is built where it runs; README.md beside it has the commands. Written
// against 0.0.3 (Debian 12).

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <getopt.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <tuple>
#include <turbojpeg.h>
#include <unistd.h>
#include <vector>

#include <libcamera/camera.h>
#include <libcamera/camera_manager.h>
#include <libcamera/control_ids.h>
#include <libcamera/formats.h>
#include <libcamera/framebuffer_allocator.h>
#include <libcamera/property_ids.h>
#include <libcamera/request.h>
#include <libcamera/stream.h>

using namespace libcamera;

namespace {

constexpr int timesFile = 3;

/// Readable once the program is asked to end.
int endSignals = -1;

[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "caprig-libcamera: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
	// Without destructors, since the camera may be running.
	_exit(1);
}

/// Writes all of it. Ends the program if nobody reads any longer, or if it is asked to end while it waits for a reader.
void writeAll(int file, const void *bytes, size_t count)
{
	auto next = static_cast<const char *>(bytes);
	while (count > 0) {
		const ssize_t written = write(file, next, count);
		if (written >= 0) {
			next += written;
			count -= written;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			fail("its output is closed: %s", strerror(errno));
		pollfd waits[] = { { file, POLLOUT, 0 }, { endSignals, POLLIN, 0 } };
		if (poll(waits, 2, -1) < 0 && errno != EINTR)
			fail("poll: %s", strerror(errno));
		// Without destructors, as in `fail`. The next start gets the camera, since the kernel closes it.
		if (waits[1].revents)
			_exit(0);
	}
}

/// Lets writes to a pipe wait for a signal too.
void unblock(int file)
{
	const int flags = fcntl(file, F_GETFL);
	if (flags >= 0)
		fcntl(file, F_SETFL, flags | O_NONBLOCK);
}

void writeLine(const std::string &line)
{
	writeAll(timesFile, (line + "\n").data(), line.size() + 1);
}

int64_t now(clockid_t clock)
{
	timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

/// A sensor's stamp on CLOCK_MONOTONIC. libcamera documents CLOCK_BOOTTIME, and drivers stamp with CLOCK_MONOTONIC; after a suspend the two
/// differ. A stamp is of the clock by which the frame is the younger one, and not of the future.
int64_t monotonic(int64_t stamp)
{
	const int64_t bySuspended = now(CLOCK_BOOTTIME) - now(CLOCK_MONOTONIC);
	return stamp > now(CLOCK_MONOTONIC) ? stamp - bySuspended : stamp;
}

struct Options {
	std::string camera;
	/// Of --size, and of --width and --height, which replace it. Null if they are missing.
	Size usual, requested;
	/// The first rate is that of pictures, and the last one counts. 0 if there is none.
	double usualRate = 0, framesPerSecond = 0;
	int quality = 90;
	bool isRaw = false, offers = false;
	/// The code of the samples; empty for any.
	std::string samples;

	Size size() const { return requested.isNull() ? usual : requested; }
};

const char usage[] =
	"Usage: caprig-libcamera --list\n"
	"       caprig-libcamera [--camera ID] [--size WIDTHxHEIGHT] [--fps N] [--quality 1-100 | --raw]\n"
	"                        [--offer [--format FOURCC] [--width N --height N]]\n"
	"\n"
	"Writes the pictures of a camera as JPEG to standard output, until SIGTERM; with --raw the samples of its sensor, as raw frames. If\n"
	"descriptor 3 is open, it gets a line with the time of each picture, and the controls, which are then changed by lines of standard input.\n"
	"Without --camera, the only camera is taken. With --offer, descriptor 3 also gets the formats that may be asked for by --format, --width,\n"
	"--height and a further --fps: MJPG, or a mosaic.\n";

// MARK: Controls

/// A control as Caprig names it, and what it is in libcamera. A step of 1 is 1/scale of libcamera's unit.
struct Knob {
	const char *name;
	const ControlId *id;
	const char *kind;
	double scale;
	/// Which of the elements of a control with several.
	size_t element;
	const char *unit;
};

const Knob knobs[] = {
	// 0 is automatic and 1 manual, as in V4L2, so the value is the opposite of libcamera's.
	{ "auto_exposure", &controls::AeEnable, "menu", -1, 0, "-" },
	{ "exposure_time_absolute", &controls::ExposureTime, "integer", 0.01, 0, "100 µs" },
	{ "analogue_gain", &controls::AnalogueGain, "integer", 1000, 0, "-" },
	{ "white_balance_automatic", &controls::AwbEnable, "boolean", 1, 0, "-" },
	{ "red_balance", &controls::ColourGains, "integer", 1000, 0, "-" },
	{ "blue_balance", &controls::ColourGains, "integer", 1000, 1, "-" },
	{ "focus_automatic_continuous", &controls::AfMode, "boolean", 0.5, 0, "-" },
	{ "focus_absolute", &controls::LensPosition, "integer", 1000, 0, "-" },
	{ "brightness", &controls::Brightness, "integer", 1000, 0, "-" },
	{ "contrast", &controls::Contrast, "integer", 1000, 0, "-" },
	{ "saturation", &controls::Saturation, "integer", 1000, 0, "-" },
	{ "sharpness", &controls::Sharpness, "integer", 1000, 0, "-" },
};

std::optional<double> number(const ControlValue &value, size_t element)
{
	if (value.isNone() || (value.isArray() && element >= value.numElements()))
		return std::nullopt;
	const uint8_t *bytes = value.data().data();
	const auto at = [&](auto type) { memcpy(&type, bytes + element * sizeof type, sizeof type); return double(type); };
	switch (value.type()) {
	case ControlTypeBool: return at(bool());
	case ControlTypeInteger32: return at(int32_t());
	case ControlTypeInteger64: return at(int64_t());
	case ControlTypeFloat: return at(float());
	default: return std::nullopt;
	}
}

class Controls
{
public:
	explicit Controls(const ControlInfoMap &infos)
	{
		for (const Knob &knob : knobs) {
			const auto found = infos.find(knob.id->id());
			if (found == infos.end())
				continue;
			const auto least = number(found->second.min(), 0), most = number(found->second.max(), 0);
			if (!least || !most)
				continue;
			const auto usual = number(found->second.def(), knob.element);
			State state{ &knob, steps(knob, *least), steps(knob, *most), 0 };
			if (state.least > state.most)
				std::swap(state.least, state.most);
			// A knob of two positions: on is the automatic mode.
			if (isSwitch(knob))
				std::tie(state.least, state.most) = std::pair(0, 1);
			state.value = std::clamp(usual ? steps(knob, *usual) : state.least, state.least, state.most);
			// Every camera begins with its automatic modes.
			if (knob.id == &controls::AeEnable)
				state.value = 0;
			if (knob.id == &controls::AwbEnable || knob.id == &controls::AfMode)
				state.value = 1;
			states.push_back(state);
		}
	}

	/// Writes what there is.
	void describe() const
	{
		for (const State &state : states)
			describe(state);
	}

	/// Carries out `set ID NAME=VALUE …`. Returns the controls for the next request; none if it is refused.
	std::optional<ControlList> set(const std::string &line, const ControlInfoMap &infos)
	{
		std::istringstream words(line);
		std::string verb, id, word;
		words >> verb >> id;
		if (verb != "set" || id.empty())
			return std::nullopt;
		const std::vector<State> before = states;
		const auto refuse = [&](const std::string &reason) -> std::optional<ControlList> {
			states = before;
			writeLine("refused " + id + " " + reason);
			return std::nullopt;
		};
		std::vector<const State *> changed;
		while (words >> word) {
			const size_t equals = word.find('=');
			const std::string name = word.substr(0, equals);
			const auto found = std::find_if(states.begin(), states.end(), [&](const State &state) { return name == state.knob->name; });
			char *end = nullptr;
			const int64_t value = equals == std::string::npos ? 0 : strtoll(word.c_str() + equals + 1, &end, 10);
			if (found == states.end() || !end || *end || value < found->least || value > found->most)
				return refuse(word + " cannot be set");
			found->value = value;
			changed.push_back(&*found);
		}
		for (const State *state : changed)
			if (isInactive(*state))
				return refuse(std::string(state->knob->name) + " has no effect while an automatic mode decides it; turn that off in the same change");
		describe();
		writeLine("done " + id);
		return list(infos);
	}

	/// What every request must say after a change. A mode that is automatic leaves its values to the camera.
	ControlList list(const ControlInfoMap &infos) const
	{
		ControlList list(infos);
		float gains[2] = { 0, 0 };
		for (const State &state : states) {
			if (isInactive(state))
				continue;
			const Knob &knob = *state.knob;
			const double value = state.value / knob.scale;
			if (knob.id == &controls::AeEnable)
				list.set(controls::AeEnable, state.value == 0);
			else if (knob.id == &controls::AfMode)
				list.set(controls::AfMode, int32_t(state.value ? controls::AfModeContinuous : controls::AfModeManual));
			else if (knob.id == &controls::ColourGains)
				gains[knob.element] = value;
			else if (knob.id->type() == ControlTypeBool)
				list.set(knob.id->id(), ControlValue(state.value != 0));
			else if (knob.id->type() == ControlTypeInteger32)
				list.set(knob.id->id(), ControlValue(int32_t(std::lround(value))));
			else
				list.set(knob.id->id(), ControlValue(float(value)));
		}
		if (gains[0] > 0 && gains[1] > 0)
			list.set(controls::ColourGains, Span<const float, 2>(gains));
		return list;
	}

private:
	struct State {
		const Knob *knob;
		int64_t least, most, value;
	};

	std::vector<State> states;

	static bool isSwitch(const Knob &knob) { return strcmp(knob.kind, "integer") != 0; }

	static int64_t steps(const Knob &knob, double value)
	{
		return int64_t(std::llround(std::clamp(value * knob.scale, -1e9, 1e9)));
	}

	int64_t value(const char *name, int64_t absent) const
	{
		for (const State &state : states)
			if (!strcmp(state.knob->name, name))
				return state.value;
		return absent;
	}

	/// Whether an automatic mode decides the value.
	bool isInactive(const State &state) const
	{
		const ControlId *id = state.knob->id;
		if (id == &controls::ExposureTime || id == &controls::AnalogueGain)
			return value("auto_exposure", 1) == 0;
		if (id == &controls::ColourGains)
			return value("white_balance_automatic", 0) == 1;
		return id == &controls::LensPosition && value("focus_automatic_continuous", 0) == 1;
	}

	void describe(const State &state) const
	{
		std::ostringstream line;
		line << "control " << state.knob->name << " " << state.knob->kind << " " << state.least << " " << state.most << " 1 "
		     << (isSwitch(*state.knob) ? state.least : state.value) << " " << state.value << " "
		     << (isInactive(state) ? "inactive" : "active") << " " << state.knob->unit;
		writeLine(line.str());
		if (!strcmp(state.knob->kind, "menu")) {
			writeLine(std::string("item ") + state.knob->name + " 0 automatic");
			writeLine(std::string("item ") + state.knob->name + " 1 manual");
		}
	}
};

// MARK: Pictures

/// The formats that are written as JPEG, the cheapest first.
const std::vector<PixelFormat> wanted = {
	formats::MJPEG, formats::YUV420, formats::NV12, formats::YUYV, formats::RGB888, formats::BGR888,
};

/// Returns the format of which pictures are made; none if there is none that can be written as JPEG.
std::optional<PixelFormat> choosePictures(const StreamFormats &offered)
{
	const std::vector<PixelFormat> found = offered.pixelformats();
	for (const PixelFormat &format : wanted)
		if (std::find(found.begin(), found.end(), format) != found.end())
			return format;
	return std::nullopt;
}

/// Whether a format is offered in a size.
bool has(const StreamFormats &offered, const PixelFormat &format, const Size &size)
{
	const std::vector<Size> sizes = offered.sizes(format);
	if (std::find(sizes.begin(), sizes.end(), size) != sizes.end())
		return true;
	// Steps of 0 are those of several single sizes.
	const SizeRange range = offered.range(format);
	return range.hStep != 0 && range.vStep != 0 && range.contains(size);
}

double area(const Size &size) { return double(size.width) * size.height; }

/// What writes the frames of a stream to standard output.
class Output
{
public:
	virtual ~Output() = default;

	/// Whether all of the frame is there.
	virtual bool isWhole(const std::vector<Span<const uint8_t>> &planes, size_t used) const = 0;
	virtual void write(const std::vector<Span<const uint8_t>> &planes, size_t used) = 0;
	/// Returns the line that tells the colors of a frame with this metadata; empty if there is nothing to tell.
	virtual std::string colors(const ControlList &metadata) const = 0;
};

class Encoder : public Output
{
public:
	Encoder(const StreamConfiguration &stream, int quality)
		: stream(stream), quality(quality), compressor(tjInitCompress())
	{
		if (!compressor)
			fail("libturbojpeg: %s", tjGetErrorStr());
		isLimited = stream.colorSpace && stream.colorSpace->range == ColorSpace::Range::Limited
			&& stream.pixelFormat != formats::RGB888 && stream.pixelFormat != formats::BGR888;
		for (int level = 0; level < 256; level++) {
			luma[level] = uint8_t(std::clamp(std::lround((level - 16) * 255.0 / 219), 0L, 255L));
			chroma[level] = uint8_t(std::clamp(std::lround((level - 128) * 255.0 / 224) + 128, 0L, 255L));
		}
	}

	~Encoder() override
	{
		tjFree(bytes);
		tjDestroy(compressor);
	}

	bool isWhole(const std::vector<Span<const uint8_t>> &, size_t) const override { return true; }
	std::string colors(const ControlList &) const override { return std::string(); }

	void write(const std::vector<Span<const uint8_t>> &planes, size_t used) override
	{
		if (stream.pixelFormat == formats::MJPEG)
			return writeAll(STDOUT_FILENO, planes[0].data(), std::min(used, planes[0].size()));
		unsigned long count = capacity;
		if (compress(planes, &count) != 0)
			fail("libturbojpeg cannot write a picture: %s", tjGetErrorStr2(compressor));
		capacity = std::max<unsigned long>(capacity, count);
		writeAll(STDOUT_FILENO, bytes, count);
	}

private:
	const StreamConfiguration &stream;
	int quality;
	tjhandle compressor;
	unsigned char *bytes = nullptr;
	unsigned long capacity = 0;
	bool isLimited = false;
	uint8_t luma[256], chroma[256];
	std::vector<uint8_t> y, u, v;

	int compress(const std::vector<Span<const uint8_t>> &planes, unsigned long *count)
	{
		const int width = stream.size.width, height = stream.size.height, stride = stream.stride;
		const uint8_t *first = planes[0].data();
		if (stream.pixelFormat == formats::RGB888 || stream.pixelFormat == formats::BGR888)
			return tjCompress2(compressor, first, width, stride, height, stream.pixelFormat == formats::RGB888 ? TJPF_BGR : TJPF_RGB,
					   &bytes, count, TJSAMP_420, quality, TJFLAG_FASTDCT);
		const bool is422 = stream.pixelFormat == formats::YUYV;
		const int columns = (width + 1) / 2, rows = is422 ? height : (height + 1) / 2;
		y.resize(size_t(width) * height);
		u.resize(size_t(columns) * rows);
		v.resize(size_t(columns) * rows);
		if (is422)
			unpack(first, width, height, stride, columns);
		else if (stream.pixelFormat == formats::NV12)
			separate(first, planes[1].data(), width, height, stride, columns, rows);
		else
			copy(planes, width, height, stride, columns, rows);
		const unsigned char *parts[3] = { y.data(), u.data(), v.data() };
		const int strides[3] = { width, columns, columns };
		return tjCompressFromYUVPlanes(compressor, parts, width, strides, height, is422 ? TJSAMP_422 : TJSAMP_420, &bytes, count,
					       quality, TJFLAG_FASTDCT);
	}

	uint8_t full(uint8_t level, const uint8_t table[]) const { return isLimited ? table[level] : level; }

	void unpack(const uint8_t *source, int width, int height, int stride, int columns)
	{
		for (int row = 0; row < height; row++) {
			const uint8_t *from = source + size_t(row) * stride;
			for (int x = 0; x < width; x++)
				y[size_t(row) * width + x] = full(from[2 * x], luma);
			for (int x = 0; x < columns; x++) {
				u[size_t(row) * columns + x] = full(from[4 * x + 1], chroma);
				v[size_t(row) * columns + x] = full(from[4 * x + 3], chroma);
			}
		}
	}

	void brightness(const uint8_t *source, int width, int height, int stride)
	{
		for (int row = 0; row < height; row++)
			for (int x = 0; x < width; x++)
				y[size_t(row) * width + x] = full(source[size_t(row) * stride + x], luma);
	}

	void separate(const uint8_t *first, const uint8_t *second, int width, int height, int stride, int columns, int rows)
	{
		brightness(first, width, height, stride);
		for (int row = 0; row < rows; row++)
			for (int x = 0; x < columns; x++) {
				u[size_t(row) * columns + x] = full(second[size_t(row) * stride + 2 * x], chroma);
				v[size_t(row) * columns + x] = full(second[size_t(row) * stride + 2 * x + 1], chroma);
			}
	}

	void copy(const std::vector<Span<const uint8_t>> &planes, int width, int height, int stride, int columns, int rows)
	{
		brightness(planes[0].data(), width, height, stride);
		for (int row = 0; row < rows; row++)
			for (int x = 0; x < columns; x++) {
				u[size_t(row) * columns + x] = full(planes[1].data()[size_t(row) * (stride / 2) + x], chroma);
				v[size_t(row) * columns + x] = full(planes[2].data()[size_t(row) * (stride / 2) + x], chroma);
			}
	}
};

// MARK: Samples

/// The layout of a sensor's samples that Caprig reads.
struct Layout {
	/// V4L2's code.
	const char *code;
	unsigned bits;
	bool isPacked;

	/// The bytes of a row without those behind its samples.
	size_t rowBytes(size_t width) const
	{
		if (!isPacked)
			return bits > 8 ? 2 * width : width;
		// The smallest group of samples that fills bytes.
		const size_t group = bits % 4 == 0 ? 2 : 4;
		return (width + group - 1) / group * (group * bits / 8);
	}
};

/// Returns the layout of a format; none if it is not a mosaic, or compressed or packed in a way that is not MIPI's.
std::optional<Layout> layout(const PixelFormat &format)
{
	// libcamera's code, and V4L2's without packing and with it, which differ for two of them. Codes and not libcamera's names, as its versions
	// have different ones.
	static const struct {
		const char *name;
		unsigned bits;
		const char *unpacked, *packed;
	} mosaics[] = {
		{ "RGGB", 8, "RGGB", nullptr }, { "GRBG", 8, "GRBG", nullptr }, { "GBRG", 8, "GBRG", nullptr }, { "BA81", 8, "BA81", nullptr },
		{ "RG10", 10, "RG10", "pRAA" }, { "BA10", 10, "BA10", "pgAA" }, { "GB10", 10, "GB10", "pGAA" }, { "BG10", 10, "BG10", "pBAA" },
		{ "RG12", 12, "RG12", "pRCC" }, { "BA12", 12, "BA12", "pgCC" }, { "GB12", 12, "GB12", "pGCC" }, { "BG12", 12, "BG12", "pBCC" },
		{ "RG14", 14, "RG14", "pREE" }, { "BA14", 14, "GR14", "pgEE" }, { "GB14", 14, "GB14", "pGEE" }, { "BG14", 14, "BG14", "pBEE" },
		{ "RGB6", 16, "RG16", nullptr }, { "GR16", 16, "GR16", nullptr }, { "GB16", 16, "GB16", nullptr }, { "BYR2", 16, "BYR2", nullptr },
	};
	for (const auto &mosaic : mosaics) {
		uint32_t code = 0;
		for (int index = 0; index < 4; index++)
			code |= uint32_t(uint8_t(mosaic.name[index])) << 8 * index;
		if (format.fourcc() != code)
			continue;
		if (format.modifier() == 0)
			return Layout{ mosaic.unpacked, mosaic.bits, false };
		if (mosaic.packed && format.modifier() == formats::SRGGB10_CSI2P.modifier())
			return Layout{ mosaic.packed, mosaic.bits, true };
	}
	return std::nullopt;
}

/// Returns the sizes of a format: all of a list; of a range the usual ones and the largest.
std::vector<Size> sizesOf(const StreamFormats &offered, const PixelFormat &format)
{
	std::vector<Size> sizes = offered.sizes(format);
	const SizeRange range = offered.range(format);
	if (range.hStep != 0 && range.vStep != 0 && std::find(sizes.begin(), sizes.end(), range.max) == sizes.end())
		sizes.push_back(range.max);
	return sizes;
}

/// Returns what the camera proposes for a role; null if it proposes nothing.
std::unique_ptr<CameraConfiguration> propose(Camera &camera, StreamRole role)
{
	const std::vector<StreamRole> roles = { role };
	std::unique_ptr<CameraConfiguration> proposed = camera.generateConfiguration(roles);
	return proposed && !proposed->empty() ? std::move(proposed) : nullptr;
}

/// Samples that a camera may be asked for.
struct Wish {
	PixelFormat format;
	Size size;
	/// Whether the camera lists the size, its pixels, the bits of a sample, and whether they are packed. The greater the better.
	std::tuple<bool, double, unsigned, bool> rank;
};

/// Returns the samples that a camera may be asked for, the best first: of the requested size, or else the largest; of these with the most
/// bits, and packed if that is offered.
std::vector<Wish> wishes(const StreamFormats &offered, const Size &requested)
{
	std::vector<Wish> found;
	for (const PixelFormat &listed : offered.pixelformats())
		for (const PixelFormat &format : { listed, PixelFormat(listed.fourcc()) }) {
			const auto samples = layout(format);
			if (!samples)
				continue;
			const std::vector<Size> sizes = requested.isNull() ? sizesOf(offered, listed) : std::vector<Size>{ requested };
			for (const Size &size : sizes)
				found.push_back({ format, size, { has(offered, listed, size), area(size), samples->bits, samples->isPacked } });
		}
	std::stable_sort(found.begin(), found.end(), [](const Wish &one, const Wish &other) { return one.rank > other.rank; });
	return found;
}

/// Returns the configuration of a stream of samples as the camera will deliver it: the first of its `wishes` that it fulfils in a layout
/// that can be read. What it delivers may differ from what it lists, so it is asked for each: the sensor of a camera that is mounted upside
/// down is read from its other corner, and has another order of colors; a Raspberry Pi 5 compresses instead of packing. If nothing has the
/// size, the stream has another one. Null if the camera has no mosaic that can be read, or none of the code, if that is not empty.
std::unique_ptr<CameraConfiguration> negotiateSamples(Camera &camera, const Size &requested, const std::string &code)
{
	const auto proposed = propose(camera, StreamRole::Raw);
	if (!proposed)
		return nullptr;
	std::unique_ptr<CameraConfiguration> nearest;
	for (const Wish &wish : wishes(proposed->at(0).formats(), requested)) {
		std::unique_ptr<CameraConfiguration> asked = propose(camera, StreamRole::Raw);
		if (!asked)
			continue;
		StreamConfiguration &stream = asked->at(0);
		stream.pixelFormat = wish.format;
		stream.size = wish.size;
		// One is exposed, one is written, and two wait.
		stream.bufferCount = std::max(stream.bufferCount, 4u);
		if (asked->validate() == CameraConfiguration::Invalid)
			continue;
		const auto delivered = layout(stream.pixelFormat);
		if (!delivered || (!code.empty() && code != delivered->code))
			continue;
		if (stream.size == wish.size)
			return asked;
		if (!nearest)
			nearest = std::move(asked);
	}
	return nearest;
}

/// Writes a sensor's samples with the header of a raw frame, and tells what libcamera says of their colors.
class SampleWriter : public Output
{
public:
	SampleWriter(const StreamConfiguration &stream, const Layout &layout)
		: layout(layout), height(stream.size.height), stride(stream.stride), rowBytes(layout.rowBytes(stream.size.width))
	{
		if (height == 0 || rowBytes == 0 || stride < rowBytes)
			fail("a row of %s has %zu bytes, and the camera has %zu for it", stream.pixelFormat.toString().c_str(), rowBytes, stride);
		header = std::string("frame ") + layout.code + " " + std::to_string(stream.size.width) + " " + std::to_string(height) + " "
			+ std::to_string(rowBytes * height) + " full\n";
	}

	bool isWhole(const std::vector<Span<const uint8_t>> &planes, size_t used) const override
	{
		return std::min(used, planes[0].size()) >= stride * (height - 1) + rowBytes;
	}

	void write(const std::vector<Span<const uint8_t>> &planes, size_t) override
	{
		const uint8_t *rows = planes[0].data();
		writeAll(STDOUT_FILENO, header.data(), header.size());
		if (stride == rowBytes)
			return writeAll(STDOUT_FILENO, rows, rowBytes * height);
		packed.resize(rowBytes * height);
		for (size_t row = 0; row < height; row++)
			memcpy(packed.data() + row * rowBytes, rows + row * stride, rowBytes);
		writeAll(STDOUT_FILENO, packed.data(), packed.size());
	}

	std::string colors(const ControlList &metadata) const override
	{
		std::ostringstream line;
		line << "color ";
		// libcamera's levels are those of 16 bits. Four different ones are not told, as a DNG of Caprig has one.
		const auto levels = values(metadata, controls::SensorBlackLevels, 4, 0, 65535);
		const bool isOne = std::count(levels.begin(), levels.end(), levels.empty() ? 0 : levels[0]) == 4;
		line << (isOne ? std::to_string(int(levels[0]) >> (16 - layout.bits)) : "-");
		line << " " << list(values(metadata, controls::ColourGains, 2, 0.01, 100));
		auto correction = values(metadata, controls::ColourCorrectionMatrix, 9, -16, 16);
		if (!correction.empty() && std::abs(determinant(correction)) < 0.02)
			correction.clear();
		line << " " << list(correction);
		return line.str();
	}

private:
	Layout layout;
	size_t height, stride, rowBytes;
	std::string header;
	std::vector<uint8_t> packed;

	/// Returns the elements of a control; none if it is missing, has another number of them, or one is out of range.
	static std::vector<double> values(const ControlList &metadata, const ControlId &id, size_t count, double least, double most)
	{
		std::vector<double> found;
		if (!metadata.contains(id.id()))
			return found;
		const ControlValue &value = metadata.get(id.id());
		for (size_t element = 0; element < count; element++) {
			const auto next = value.isArray() && value.numElements() == count ? number(value, element) : std::nullopt;
			if (!next || !(*next >= least && *next <= most))
				return {};
			found.push_back(*next);
		}
		return found;
	}

	static std::string list(const std::vector<double> &values)
	{
		std::ostringstream text;
		for (size_t index = 0; index < values.size(); index++)
			text << (index ? "," : "") << values[index];
		return values.empty() ? "-" : text.str();
	}

	static double determinant(const std::vector<double> &m)
	{
		return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
	}
};

/// The planes of a buffer, mapped for as long as this lives.
class Mapping
{
public:
	explicit Mapping(const FrameBuffer &buffer)
	{
		std::map<int, std::pair<uint8_t *, size_t>> files;
		for (const FrameBuffer::Plane &plane : buffer.planes()) {
			size_t &end = files[plane.fd.get()].second;
			end = std::max(end, size_t(plane.offset) + plane.length);
		}
		for (auto &[file, area] : files) {
			void *address = mmap(nullptr, area.second, PROT_READ, MAP_SHARED, file, 0);
			if (address == MAP_FAILED)
				fail("a buffer cannot be mapped: %s", strerror(errno));
			area.first = static_cast<uint8_t *>(address);
			areas.push_back(area);
		}
		for (const FrameBuffer::Plane &plane : buffer.planes())
			planes.emplace_back(files[plane.fd.get()].first + plane.offset, plane.length);
	}

	~Mapping()
	{
		for (const auto &[address, length] : areas)
			munmap(address, length);
	}

	Mapping(const Mapping &) = delete;
	Mapping &operator=(const Mapping &) = delete;

	std::vector<Span<const uint8_t>> planes;

private:
	std::vector<std::pair<uint8_t *, size_t>> areas;
};

// MARK: The camera

/// The samples that are offered, one line for each size: the agent reads 64 lines.
constexpr size_t mostSizes = 32;

/// The bytes of a second with which a pipe and an encoder are trusted in a still's format.
constexpr double bytesPerSecond = 100e6;

class Capture
{
public:
	Capture(std::shared_ptr<Camera> camera, const Options &options, bool hasTimes)
		: camera(std::move(camera)), options(options), hasTimes(hasTimes)
	{
		if (this->camera->acquire() < 0)
			fail("camera '%s' is in use by another program", this->camera->id().c_str());
		configure();
	}

	~Capture()
	{
		camera->stop();
		requests.clear();
		mappings.clear();
		allocator.reset();
		camera->release();
		close(wake);
	}

	void run()
	{
		if (hasTimes) {
			describe();
			if (options.offers)
				offer();
			controls->describe();
		}
		start();
		pollfd waits[] = { { endSignals, POLLIN, 0 }, { wake, POLLIN, 0 }, { STDIN_FILENO, short(hasTimes ? POLLIN : 0), 0 } };
		while (true) {
			if (poll(waits, hasTimes ? 3 : 2, -1) < 0 && errno != EINTR)
				fail("poll: %s", strerror(errno));
			if (waits[0].revents)
				break;
			if (waits[2].revents && !readControls())
				waits[2].fd = -1;
			if (waits[1].revents)
				takePictures();
		}
	}

private:
	std::shared_ptr<Camera> camera;
	const Options &options;
	bool hasTimes;
	/// Made when the camera is configured, since their ranges depend on the format.
	std::optional<Controls> controls;
	std::unique_ptr<CameraConfiguration> configuration;
	std::unique_ptr<FrameBufferAllocator> allocator;
	std::unique_ptr<Output> output;
	std::map<const FrameBuffer *, std::unique_ptr<Mapping>> mappings;
	std::vector<std::unique_ptr<Request>> requests;
	Stream *stream = nullptr;
	int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	std::mutex mutex;
	std::deque<Request *> completed;
	bool isGone = false;
	std::string partial;
	std::optional<ControlList> changes;
	std::optional<uint64_t> lastSequence;
	int64_t lastStart = 0;
	std::string lastColors;

	void configure()
	{
		if (options.isRaw)
			configureSamples();
		else
			configurePictures();
		StreamConfiguration &chosen = configuration->at(0);
		const Size size = options.size();
		if (!size.isNull() && chosen.size != size)
			fail("camera '%s' has no size %s; the nearest is %s", camera->id().c_str(), size.toString().c_str(),
			     chosen.size.toString().c_str());
		const auto samples = layout(chosen.pixelFormat);
		if (options.isRaw ? !samples : std::find(wanted.begin(), wanted.end(), chosen.pixelFormat) == wanted.end())
			fail("camera '%s' delivers %s, which cannot be written as %s", camera->id().c_str(), chosen.pixelFormat.toString().c_str(),
			     options.isRaw ? "samples" : "JPEG");
		if (camera->configure(configuration.get()) < 0)
			fail("camera '%s' cannot be configured", camera->id().c_str());
		controls.emplace(camera->controls());
		stream = chosen.stream();
		if (options.isRaw)
			output = std::make_unique<SampleWriter>(chosen, *samples);
		else
			output = std::make_unique<Encoder>(chosen, options.quality);
		allocate();
		fprintf(stderr, "caprig-libcamera: %s, %s\n", camera->id().c_str(), chosen.toString().c_str());
	}

	void configureSamples()
	{
		configuration = negotiateSamples(*camera, options.size(), options.samples);
		if (!configuration)
			fail("camera '%s' offers no color mosaic%s%s that is neither compressed nor packed in a way that cannot be read; leave out --raw",
			     camera->id().c_str(), options.samples.empty() ? "" : " ", options.samples.c_str());
	}

	void configurePictures()
	{
		configuration = propose(*camera, StreamRole::VideoRecording);
		if (!configuration)
			fail("camera '%s' offers no stream for video", camera->id().c_str());
		StreamConfiguration &chosen = configuration->at(0);
		if (const auto format = choosePictures(chosen.formats()))
			chosen.pixelFormat = *format;
		if (!options.size().isNull())
			chosen.size = options.size();
		// What JPEG means by its numbers, where the camera can.
		if (chosen.pixelFormat != formats::MJPEG)
			chosen.colorSpace = ColorSpace::Sycc;
		if (configuration->validate() == CameraConfiguration::Invalid)
			fail("camera '%s' accepts no configuration", camera->id().c_str());
	}

	/// Tells the model, for the metadata of files.
	void describe() const
	{
		const auto model = camera->properties().get(properties::Model);
		if (!model)
			return;
		std::string text = std::string(*model).substr(0, 200);
		std::replace_if(text.begin(), text.end(), [](unsigned char letter) { return letter < ' '; }, ' ');
		if (text.find_first_not_of(' ') != std::string::npos)
			writeLine("hardware model " + text);
	}

	/// Tells the formats that may be asked for: pictures as they usually are and in the largest size, and the samples of each size.
	void offer() const
	{
		const double rate = options.usualRate > 0 ? options.usualRate : 30;
		const auto video = propose(*camera, StreamRole::VideoRecording);
		const auto format = video ? choosePictures(video->at(0).formats()) : std::nullopt;
		if (format) {
			const Size usual = options.usual.isNull() ? video->at(0).size : options.usual;
			offer("MJPG", usual, rate);
			const auto still = propose(*camera, StreamRole::StillCapture);
			const Size largest = still ? still->at(0).size : usual;
			if (area(largest) > area(usual) && has(video->at(0).formats(), *format, largest))
				offer("MJPG", largest, std::min(rate, bytesPerSecond / (1.5 * area(largest))));
		}
		const auto raw = propose(*camera, StreamRole::Raw);
		if (!raw)
			return;
		const StreamFormats &samples = raw->at(0).formats();
		std::vector<Size> told;
		for (const PixelFormat &mosaic : samples.pixelformats())
			for (const Size &size : sizesOf(samples, mosaic)) {
				if (told.size() == mostSizes || std::find(told.begin(), told.end(), size) != told.end())
					continue;
				const auto asked = negotiateSamples(*camera, size, "");
				if (!asked || asked->at(0).size != size)
					continue;
				told.push_back(size);
				const Layout found = *layout(asked->at(0).pixelFormat);
				offer(found.code, size, std::min(rate, bytesPerSecond / (double(found.rowBytes(size.width)) * size.height)));
			}
	}

	void offer(const char *code, const Size &size, double rate) const
	{
		char line[128];
		snprintf(line, sizeof line, "offer %s %u %u 1 %u %u 1 %.4f %.4f", code, size.width, size.width, size.height, size.height,
			 std::max(rate, 0.01), std::max(rate, 0.01));
		writeLine(line);
	}

	void allocate()
	{
		allocator = std::make_unique<FrameBufferAllocator>(camera);
		if (allocator->allocate(stream) < 0)
			fail("no memory for the buffers of camera '%s'", camera->id().c_str());
		for (const std::unique_ptr<FrameBuffer> &buffer : allocator->buffers(stream)) {
			std::unique_ptr<Request> request = camera->createRequest();
			if (!request || request->addBuffer(stream, buffer.get()) < 0)
				fail("a request of camera '%s' cannot be made", camera->id().c_str());
			mappings[buffer.get()] = std::make_unique<Mapping>(*buffer);
			requests.push_back(std::move(request));
		}
	}

	void start()
	{
		ControlList first = controls->list(camera->controls());
		if (options.framesPerSecond > 0 && camera->controls().count(controls::FrameDurationLimits.id())) {
			const int64_t duration = std::llround(1e6 / options.framesPerSecond);
			const int64_t limits[2] = { duration, duration };
			first.set(controls::FrameDurationLimits, Span<const int64_t, 2>(limits));
		}
		camera->requestCompleted.connect(this, &Capture::complete);
		camera->disconnected.connect(this, &Capture::disconnect);
		if (camera->start(&first) < 0)
			fail("camera '%s' cannot be started", camera->id().c_str());
		for (const std::unique_ptr<Request> &request : requests)
			if (camera->queueRequest(request.get()) < 0)
				fail("camera '%s' takes no request", camera->id().c_str());
	}

	/// On libcamera's thread.
	void complete(Request *request)
	{
		const std::lock_guard<std::mutex> lock(mutex);
		completed.push_back(request);
		eventfd_write(wake, 1);
	}

	/// On libcamera's thread.
	void disconnect()
	{
		const std::lock_guard<std::mutex> lock(mutex);
		isGone = true;
		eventfd_write(wake, 1);
	}

	void takePictures()
	{
		eventfd_t count;
		eventfd_read(wake, &count);
		while (true) {
			Request *request = nullptr;
			{
				const std::lock_guard<std::mutex> lock(mutex);
				if (isGone)
					fail("camera '%s' was disconnected", camera->id().c_str());
				if (completed.empty())
					return;
				request = completed.front();
				completed.pop_front();
			}
			if (request->status() == Request::RequestCancelled)
				continue;
			take(*request);
			request->reuse(Request::ReuseBuffers);
			if (changes) {
				request->controls().merge(*changes);
				changes.reset();
			}
			if (camera->queueRequest(request) < 0)
				fail("camera '%s' takes no further request", camera->id().c_str());
		}
	}

	void take(Request &request)
	{
		const FrameBuffer &buffer = *request.buffers().at(stream);
		const FrameMetadata &metadata = buffer.metadata();
		// What is missing in the numbers is counted as lost by the camera.
		const auto &planes = mappings.at(&buffer)->planes;
		const size_t used = metadata.planes()[0].bytesused;
		if (metadata.status != FrameMetadata::FrameSuccess || !output->isWhole(planes, used))
			return;
		const int64_t stamp = monotonic(request.metadata().get(controls::SensorTimestamp).value_or(int64_t(metadata.timestamp)));
		const int64_t exposed = std::max(0, request.metadata().get(controls::ExposureTime).value_or(0)) * 1000LL;
		// Drivers such as those of a Raspberry Pi stamp the end of the first row's exposure. An exposure that began there could end after the
		// picture is here, for which the agent would take the stamp for one of another clock.
		const int64_t begin = std::min(stamp, now(CLOCK_MONOTONIC) - exposed);
		// Numbers and times of a picture that is not after the one before would be taken for those of another stream.
		if ((lastSequence && metadata.sequence <= *lastSequence) || begin <= lastStart)
			return;
		lastSequence = metadata.sequence;
		lastStart = begin;
		if (hasTimes) {
			const std::string colors = output->colors(request.metadata());
			if (colors != lastColors)
				writeLine(colors);
			lastColors = colors;
			const auto gain = request.metadata().get(controls::AnalogueGain);
			std::ostringstream line;
			line << metadata.sequence << " " << begin << " ";
			if (exposed > 0)
				line << exposed;
			else
				line << "-";
			line << " ";
			if (gain)
				line << std::lround(*gain * 1000);
			else
				line << "-";
			// The exposure began at most one exposure before what is told.
			if (begin < stamp)
				line << " " << exposed;
			writeLine(line.str());
		}
		output->write(planes, used);
	}

	/// Returns false once standard input has ended.
	bool readControls()
	{
		char bytes[4096];
		const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
		if (count <= 0)
			return count < 0 && errno == EINTR;
		partial.append(bytes, count);
		size_t end;
		while ((end = partial.find('\n')) != std::string::npos) {
			const auto list = controls->set(partial.substr(0, end), camera->controls());
			partial.erase(0, end + 1);
			if (list)
				changes = list;
		}
		if (partial.size() > sizeof bytes)
			fail("a line of its standard input is longer than %zu bytes", sizeof bytes);
		return true;
	}
};

unsigned pixels(const char *option, const char *text)
{
	char *end = nullptr;
	const long value = strtol(text, &end, 10);
	if (*end || value < 1 || value > 65535)
		fail("%s %s is not a number of pixels", option, text);
	return unsigned(value);
}

Options parse(int count, char *words[], bool &isList)
{
	Options options;
	const option names[] = {
		{ "list", no_argument, nullptr, 'l' }, { "camera", required_argument, nullptr, 'c' },
		{ "size", required_argument, nullptr, 's' }, { "fps", required_argument, nullptr, 'f' },
		{ "quality", required_argument, nullptr, 'q' }, { "raw", no_argument, nullptr, 'r' },
		{ "offer", no_argument, nullptr, 'o' }, { "format", required_argument, nullptr, 'F' },
		{ "width", required_argument, nullptr, 'W' }, { "height", required_argument, nullptr, 'H' },
		{ "help", no_argument, nullptr, 'h' }, {},
	};
	int found;
	while ((found = getopt_long(count, words, "h", names, nullptr)) != -1) {
		char *end = nullptr;
		switch (found) {
		case 'l': isList = true; break;
		case 'c': options.camera = optarg; break;
		case 's':
			if (sscanf(optarg, "%ux%u", &options.usual.width, &options.usual.height) != 2 || !options.usual.width
			    || !options.usual.height)
				fail("--size %s is not WIDTHxHEIGHT", optarg);
			break;
		case 'f':
			options.framesPerSecond = strtod(optarg, &end);
			if (*end || !(options.framesPerSecond > 0 && options.framesPerSecond <= 1000))
				fail("--fps %s is not a number of pictures a second", optarg);
			if (options.usualRate == 0)
				options.usualRate = options.framesPerSecond;
			break;
		case 'q':
			options.quality = int(strtol(optarg, &end, 10));
			if (*end || options.quality < 1 || options.quality > 100)
				fail("--quality %s is not 1 to 100", optarg);
			break;
		case 'r': options.isRaw = true; break;
		case 'o': options.offers = true; break;
		case 'F':
			options.isRaw = strcmp(optarg, "MJPG") != 0;
			options.samples = options.isRaw ? optarg : "";
			break;
		case 'W': options.requested.width = pixels("--width", optarg); break;
		case 'H': options.requested.height = pixels("--height", optarg); break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	if (optind < count)
		fail("'%s' is not an option", words[optind]);
	if ((options.requested.width == 0) != (options.requested.height == 0))
		fail("--width and --height are given together");
	return options;
}

std::shared_ptr<Camera> choose(CameraManager &manager, const std::string &id)
{
	const auto cameras = manager.cameras();
	if (cameras.empty())
		fail("libcamera finds no camera; is one connected, and is this user in the group video?");
	if (id.empty() && cameras.size() != 1)
		fail("there are %zu cameras; name one with --camera ID, see --list", cameras.size());
	std::shared_ptr<Camera> found = id.empty() ? cameras[0] : manager.get(id);
	if (!found)
		fail("there is no camera '%s'; see --list", id.c_str());
	return found;
}

/// Returns the code and the size of the largest samples, after a tab; empty if there are none that can be read.
std::string largestSamples(Camera &camera)
{
	const auto asked = negotiateSamples(camera, Size(), "");
	if (!asked)
		return "";
	const StreamConfiguration &stream = asked->at(0);
	return std::string("\t") + layout(stream.pixelFormat)->code + " " + stream.size.toString();
}

} // namespace

int main(int count, char *words[])
{
	// Before anything is opened, which could get this number.
	const bool hasTimes = fcntl(timesFile, F_GETFD) >= 0;
	bool isList = false;
	const Options options = parse(count, words, isList);
	// Before libcamera starts its threads, so that they block them too.
	sigset_t ends;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, nullptr);
	endSignals = signalfd(-1, &ends, SFD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	CameraManager manager;
	if (manager.start() < 0)
		fail("libcamera cannot be started; may this user open the media devices (group video)?");
	if (isList) {
		for (const auto &camera : manager.cameras()) {
			const auto model = camera->properties().get(properties::Model);
			printf("%s\t%s%s\n", camera->id().c_str(), model ? std::string(*model).c_str() : "-", largestSamples(*camera).c_str());
		}
	} else {
		unblock(STDOUT_FILENO);
		if (hasTimes)
			unblock(timesFile);
		Capture(choose(manager, options.camera), options, hasTimes).run();
	}
	manager.stop();
	return 0;
}
