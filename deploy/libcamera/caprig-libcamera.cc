// A camera of this machine's libcamera as a program that the `command` camera of Caprig runs (docs/command-camera.md): pictures as JPEG on
// standard output, their times and the controls on descriptor 3, changes of controls on standard input.
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

/// Writes all of it. Ends the program if nobody reads any longer.
void writeAll(int file, const void *bytes, size_t count)
{
	auto next = static_cast<const char *>(bytes);
	while (count > 0) {
		const ssize_t written = write(file, next, count);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			fail("its output is closed: %s", strerror(errno));
		next += written;
		count -= written;
	}
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
	unsigned width = 0, height = 0;
	double framesPerSecond = 0;
	int quality = 90;
};

const char usage[] =
	"Usage: caprig-libcamera --list\n"
	"       caprig-libcamera [--camera ID] [--size WIDTHxHEIGHT] [--fps N] [--quality 1-100]\n"
	"\n"
	"Writes the pictures of a camera as JPEG to standard output, until SIGTERM. If descriptor 3 is open, it gets a line with the time of each\n"
	"picture, and the controls, which are then changed by lines of standard input. Without --camera, the only camera is taken.\n";

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

class Encoder
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

	~Encoder()
	{
		tjFree(bytes);
		tjDestroy(compressor);
	}

	/// Writes a picture to standard output.
	void write(const std::vector<Span<const uint8_t>> &planes, size_t used)
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

class Capture
{
public:
	Capture(std::shared_ptr<Camera> camera, const Options &options)
		: camera(std::move(camera)), options(options), hasTimes(fcntl(timesFile, F_GETFD) >= 0), controls(this->camera->controls())
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
		sigset_t ends;
		sigemptyset(&ends);
		sigaddset(&ends, SIGTERM);
		sigaddset(&ends, SIGINT);
		// The threads of libcamera exist by now and block nothing; `main` has blocked both before.
		const int signals = signalfd(-1, &ends, SFD_CLOEXEC);
		if (hasTimes)
			controls.describe();
		start();
		pollfd waits[] = { { signals, POLLIN, 0 }, { wake, POLLIN, 0 }, { STDIN_FILENO, short(hasTimes ? POLLIN : 0), 0 } };
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
		close(signals);
	}

private:
	std::shared_ptr<Camera> camera;
	const Options &options;
	bool hasTimes;
	Controls controls;
	std::unique_ptr<CameraConfiguration> configuration;
	std::unique_ptr<FrameBufferAllocator> allocator;
	std::unique_ptr<Encoder> encoder;
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

	void configure()
	{
		const std::vector<StreamRole> roles = { StreamRole::VideoRecording };
		configuration = camera->generateConfiguration(roles);
		if (!configuration || configuration->empty())
			fail("camera '%s' offers no stream for video", camera->id().c_str());
		StreamConfiguration &chosen = configuration->at(0);
		const std::vector<PixelFormat> offered = chosen.formats().pixelformats();
		for (const PixelFormat &format : wanted)
			if (std::find(offered.begin(), offered.end(), format) != offered.end()) {
				chosen.pixelFormat = format;
				break;
			}
		if (options.width)
			chosen.size = Size(options.width, options.height);
		// What JPEG means by its numbers, where the camera can.
		if (chosen.pixelFormat != formats::MJPEG)
			chosen.colorSpace = ColorSpace::Sycc;
		if (configuration->validate() == CameraConfiguration::Invalid)
			fail("camera '%s' accepts no configuration", camera->id().c_str());
		if (options.width && chosen.size != Size(options.width, options.height))
			fail("camera '%s' has no size %ux%u; the nearest is %s", camera->id().c_str(), options.width, options.height,
			     chosen.size.toString().c_str());
		if (std::find(wanted.begin(), wanted.end(), chosen.pixelFormat) == wanted.end())
			fail("camera '%s' delivers %s, which cannot be written as JPEG", camera->id().c_str(), chosen.pixelFormat.toString().c_str());
		if (camera->configure(configuration.get()) < 0)
			fail("camera '%s' cannot be configured", camera->id().c_str());
		stream = chosen.stream();
		encoder = std::make_unique<Encoder>(chosen, options.quality);
		allocate();
		fprintf(stderr, "caprig-libcamera: %s, %s\n", camera->id().c_str(), chosen.toString().c_str());
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
		ControlList first = controls.list(camera->controls());
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
		if (metadata.status != FrameMetadata::FrameSuccess)
			return;
		const int64_t begin = monotonic(request.metadata().get(controls::SensorTimestamp).value_or(int64_t(metadata.timestamp)));
		// Numbers and times of a picture that is not after the one before would be taken for those of another stream.
		if ((lastSequence && metadata.sequence <= *lastSequence) || begin <= lastStart)
			return;
		lastSequence = metadata.sequence;
		lastStart = begin;
		if (hasTimes) {
			const auto exposure = request.metadata().get(controls::ExposureTime);
			const auto gain = request.metadata().get(controls::AnalogueGain);
			std::ostringstream line;
			line << metadata.sequence << " " << begin << " ";
			if (exposure && *exposure > 0)
				line << int64_t(*exposure) * 1000;
			else
				line << "-";
			line << " ";
			if (gain)
				line << std::lround(*gain * 1000);
			else
				line << "-";
			writeLine(line.str());
		}
		encoder->write(mappings.at(&buffer)->planes, metadata.planes()[0].bytesused);
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
			const auto list = controls.set(partial.substr(0, end), camera->controls());
			partial.erase(0, end + 1);
			if (list)
				changes = list;
		}
		if (partial.size() > sizeof bytes)
			fail("a line of its standard input is longer than %zu bytes", sizeof bytes);
		return true;
	}
};

Options parse(int count, char *words[], bool &isList)
{
	Options options;
	const option names[] = {
		{ "list", no_argument, nullptr, 'l' }, { "camera", required_argument, nullptr, 'c' },
		{ "size", required_argument, nullptr, 's' }, { "fps", required_argument, nullptr, 'f' },
		{ "quality", required_argument, nullptr, 'q' }, { "help", no_argument, nullptr, 'h' }, {},
	};
	int found;
	while ((found = getopt_long(count, words, "h", names, nullptr)) != -1) {
		char *end = nullptr;
		switch (found) {
		case 'l': isList = true; break;
		case 'c': options.camera = optarg; break;
		case 's':
			if (sscanf(optarg, "%ux%u", &options.width, &options.height) != 2 || !options.width || !options.height)
				fail("--size %s is not WIDTHxHEIGHT", optarg);
			break;
		case 'f':
			options.framesPerSecond = strtod(optarg, &end);
			if (*end || !(options.framesPerSecond > 0 && options.framesPerSecond <= 1000))
				fail("--fps %s is not a number of pictures a second", optarg);
			break;
		case 'q':
			options.quality = int(strtol(optarg, &end, 10));
			if (*end || options.quality < 1 || options.quality > 100)
				fail("--quality %s is not 1 to 100", optarg);
			break;
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

} // namespace

int main(int count, char *words[])
{
	bool isList = false;
	const Options options = parse(count, words, isList);
	// Before libcamera starts its threads, so that they block them too.
	sigset_t ends;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, nullptr);
	signal(SIGPIPE, SIG_IGN);
	CameraManager manager;
	if (manager.start() < 0)
		fail("libcamera cannot be started; may this user open the media devices (group video)?");
	if (isList) {
		for (const auto &camera : manager.cameras()) {
			const auto model = camera->properties().get(properties::Model);
			printf("%s\t%s\n", camera->id().c_str(), model ? std::string(*model).c_str() : "-");
		}
	} else {
		Capture(choose(manager, options.camera), options).run();
	}
	manager.stop();
	return 0;
}
