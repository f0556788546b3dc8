import CameraKit
import CaptureModel

/// What a program tells of its camera on its descriptor 3. Pure.
///
/// | line | meaning |
/// |---|---|
/// | `hardware PROPERTY TEXT` | its `make`, `model` or `serial` |
/// | `offer FOURCC WIDTH WIDTH STEP HEIGHT HEIGHT STEP FPS FPS` | a format, from the smallest to the largest size, and from the lowest to the highest rate |
/// | `ready HEADER` | a camera that sends frames only of exposures that it is told of is ready; the header of its frames |
/// | `failed CODE REASON` | why the program ends: `absent`, `busy`, `denied`, `unsupportedFormat`, `unsupportedControl` or `failed` |
struct ToldCamera: Hashable, Sendable {
    typealias Mismatch = ProgramLines.Mismatch

    /// Why the program ends.
    struct Failure: Hashable, Sendable {
        var code: CameraError.Code
        var reason: String
    }

    static let mostFormats = 64
    private static let codes: Set<CameraError.Code> = [
        .absent, .busy, .denied, .unsupportedFormat, .unsupportedControl, .failed,
    ]

    private(set) var make: String?
    private(set) var model: String?
    private(set) var serial: String?
    private(set) var formats: [FormatOffer] = []
    /// The format of a camera that exposes only when it is told; nil before it is ready, and of every other camera.
    private(set) var ready: RawFormat?
    private(set) var failure: Failure?

    /// Reads a line.
    /// - Returns: false if it is not of the camera.
    mutating func add(line: String) throws(Mismatch) -> Bool {
        switch line.prefix(while: { $0 != " " }) {
        case "hardware": try addProperty(line)
        case "offer": try addOffer(line)
        case "ready": try addReady(line)
        case "failed": try addFailure(line)
        default: return false
        }
        return true
    }

    private mutating func addProperty(_ line: String) throws(Mismatch) {
        let words = line.split(separator: " ", maxSplits: 2)
        let text = words.count == 3 ? String(words[2]).printable() : ""
        switch words.count > 1 ? words[1] : "" {
        case "make" where !text.isEmpty: make = text
        case "model" where !text.isEmpty: model = text
        case "serial" where !text.isEmpty: serial = text
        default: throw Mismatch(description: "the line '\(line.excerpt)' is not 'hardware make|model|serial TEXT'")
        }
    }

    private mutating func addOffer(_ line: String) throws(Mismatch) {
        guard let offer = FormatOffer(line: line) else {
            throw Mismatch(
                description:
                    "the line '\(line.excerpt)' is not 'offer FOURCC WIDTH WIDTH STEP HEIGHT HEIGHT STEP FPS FPS'")
        }
        guard formats.count < Self.mostFormats else {
            throw Mismatch(description: "it tells more than \(Self.mostFormats) formats")
        }
        formats.append(offer)
    }

    private mutating func addReady(_ line: String) throws(Mismatch) {
        do throws(RawFormat.Wrong) {
            ready = try RawFormat(header: String(line.dropFirst("ready ".count)))
        } catch {
            throw Mismatch(description: error.description)
        }
    }

    private mutating func addFailure(_ line: String) throws(Mismatch) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let code = CameraError.Code(rawValue: String(words[1])), Self.codes.contains(code)
        else {
            throw Mismatch(description: "the line '\(line.excerpt)' is not 'failed CODE REASON'")
        }
        failure = failure ?? Failure(code: code, reason: String(words[2]).printable())
    }
}

extension FormatOffer {
    fileprivate init?(line: String) {
        let words = line.split(separator: " ")
        guard words.count == 10, let pixelFormat = PixelFormat(rawValue: String(words[1])),
            let widths = PixelRange(words[2...4]), let heights = PixelRange(words[5...7]),
            let slowest = Double(words[8]), let fastest = Double(words[9]), slowest <= fastest,
            ArrivalConfiguration.Limits.framesPerSecond.contains(slowest),
            ArrivalConfiguration.Limits.framesPerSecond.contains(fastest)
        else { return nil }
        let rates = IntervalOffer(
            shortestNanoseconds: Int64((1e9 / fastest).rounded(.down)),
            longestNanoseconds: Int64((1e9 / slowest).rounded(.up)))
        self.init(
            pixelFormat: pixelFormat, sizes: [.init(widths: widths, heights: heights, intervals: [rates])])
    }
}

extension PixelRange {
    /// Reads the smallest count, the largest, and the step.
    fileprivate init?(_ words: ArraySlice<Substring>) {
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 3, PixelStructure.sides.contains(numbers[0]), PixelStructure.sides.contains(numbers[1]),
            numbers[0] <= numbers[1], PixelStructure.sides.contains(numbers[2])
        else { return nil }
        self.init(numbers[0], numbers[1], step: numbers[2])
    }
}
