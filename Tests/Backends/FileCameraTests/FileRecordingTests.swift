import CameraConformance
import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import SystemClock
import Testing

@testable import FileCamera

@Suite("File camera: what is not a recording")
struct FileRecordingTests {
    private func problem(_ path: String, _ request: FormatRequest = FormatRequest()) async -> CameraError? {
        let camera = FileCamera(name: "file", configuration: FileCameraConfiguration(path: path))
        do throws(CameraError) {
            await (try await camera.start(request, clock: ManualTimeSource())).stop()
            return nil
        } catch {
            return error
        }
    }

    @Test("Reports a missing or empty recording as absent")
    func missing() async throws {
        let place = try TemporaryFolder()
        let missing = await problem(place.path + "/nothing")
        #expect(missing?.code == .absent)
        #expect(missing?.reason.contains("ENOENT") == true)
        let empty = await problem(place.path)
        #expect(empty?.code == .absent)
        #expect(empty?.reason.contains(".jpg or .jpeg") == true)
        let nothing = await problem(try place.write([], as: "empty.mjpeg"))
        #expect(nothing?.code == .absent)
        #expect(nothing?.reason.contains("is empty") == true)
        let under = await problem(try place.write([1], as: "file") + "/below")
        #expect(under?.code == .failed || under?.code == .absent)
    }

    @Test("Ignores other files beside the images")
    func othersBeside() async throws {
        let recording = try RecordedImages(count: 3)
        let path = try recording.folder()
        for name in ["notes.txt", ".hidden.jpg", "4.png", "jpg"] { try recording.place.write([1, 2, 3], as: name) }
        var bench = try await FileBench(path, loop: false)
        #expect(await bench.playToTheEnd(3).map(\.lease.bytes) == recording.images)
    }

    @Test("Refuses images of two sizes, and names both")
    func mixedSizes() async throws {
        let recording = try RecordedImages(count: 2)
        let path = try recording.folder()
        let other = try RecordedImages.image(brightness: 1, width: 80, height: 48)
        try recording.place.write(other, as: "3.jpeg")
        let folder = await problem(path)
        #expect(folder?.code == .failed)
        for word in ["1.jpg", "64x48", "3.jpeg", "80x48"] { #expect(folder?.reason.contains(word) == true) }
        let file = await problem(try recording.place.write(recording.images.flatMap { $0 } + other, as: "mixed.mjpeg"))
        let offset = recording.images.reduce(0) { $0 + $1.count }
        #expect(file?.reason.contains("byte \(offset)") == true)
        #expect(file?.reason.contains("80x48") == true)
    }

    @Test("Finds a torn image at the start, and names its place")
    func torn() async throws {
        let recording = try RecordedImages(count: 3)
        let path = try recording.folder()
        let image = recording.images[1]
        try recording.place.write(Array(image.dropLast(9)), as: "2.jpg")
        let folder = await problem(path)
        #expect(folder?.code == .failed)
        #expect(folder?.reason.contains("2.jpg is not a complete JPEG image") == true)

        let spliced = image + image.dropLast(9) + image
        let file = await problem(try recording.place.write(spliced, as: "spliced.mjpeg"))
        #expect(file?.reason.contains("spliced.mjpeg, byte \(image.count): the image there is not whole") == true)
        let cut = await problem(try recording.place.write(image + image.dropLast(9), as: "cut.mjpeg"))
        #expect(cut?.reason.contains("byte \(image.count): the last image is torn") == true)
        let garbage = await problem(try recording.place.write([7] + image, as: "garbage.mjpeg"))
        #expect(garbage?.reason.contains("byte 0: no JPEG image begins there") == true)
    }

    /// What cameras, and programs that make motion photos, append to an image.
    private static let appendices: [[UInt8]] = [
        Array("MAKER\0\u{1}\u{2}".utf8), [UInt8](repeating: 0xFF, count: 16), [0xFF, 0xD9],
        [0, 0, 0, 0x18] + Array("ftypmp42".utf8),
    ]

    @Test("Plays images to their end marker, whatever follows, and counts them", arguments: appendices)
    func trailing(_ rest: [UInt8]) async throws {
        let recording = try RecordedImages(count: 3)
        let images = recording.images
        for (number, image) in images.enumerated() {
            // A second image in a file is a preview that a camera has appended.
            try recording.place.write(image + rest + (rest.count == 2 ? images[0] : []), as: "\(number + 1).jpg")
        }
        var bench = try await FileBench(recording.place.path, loop: false)
        #expect(await bench.playToTheEnd(3).map(\.lease.bytes) == images)
        #expect(bench.stream.losses.trimmed == 3)
        let file = try recording.place.write(images.flatMap { $0 + rest }, as: "all.mjpeg")
        var played = try await FileBench(file, loop: false)
        #expect(await played.playToTheEnd(3).map(\.lease.bytes) == images)
    }

    @Test("Plays images without an end marker, and refuses those whose data is missing")
    func unended() async throws {
        let recording = try RecordedImages(count: 2)
        let cut = recording.images.map { Array($0.dropLast(2)) }
        for (number, image) in cut.enumerated() { try recording.place.write(image, as: "\(number + 1).jpg") }
        var bench = try await FileBench(recording.place.path, loop: false)
        #expect(await bench.playToTheEnd(2).map(\.lease.bytes) == cut)
        let file = try recording.place.write(cut.flatMap { $0 }, as: "all.mjpeg")
        var played = try await FileBench(file, loop: false)
        #expect(await played.playToTheEnd(2).map(\.lease.bytes) == cut)
    }

    @Test("Refuses a container, and says what to do")
    func container() async throws {
        let place = try TemporaryFolder()
        let error = await problem(try place.write(Array("RIFF....AVI LIST".utf8), as: "x.avi"))
        #expect(error?.code == .failed)
        #expect(error?.reason.contains("AVI") == true)
        #expect(error?.reason.contains("ffmpeg") == true)
    }

    @Test("Refuses devices and links as images")
    func noFile() async throws {
        #expect(await problem("/dev/null")?.reason.contains("is not a regular file") == true)
        let place = try TemporaryFolder()
        #expect(try ExternalTool.run("ln", "-s", "/dev/zero", place.path + "/1.jpg").status == 0)
        let error = await problem(place.path)
        #expect(error?.code == .failed)
        #expect(error?.reason.contains("1.jpg is not a regular file") == true)
    }

    @Test("Reads large files in parts, and skips padding between images")
    func largeFile() async throws {
        let recording = try RecordedImages(count: 5)
        // Three megabytes: images across the edges of what is read at once, and zeros as cameras pad with.
        let padding = [UInt8](repeating: 0, count: 149_999)
        let parts = (0..<20).flatMap { recording.images[$0 % 5] + padding }
        var bench = try await FileBench(try recording.place.write(parts, as: "large.mjpeg"), loop: false)
        #expect(await bench.playToTheEnd(20).map(\.lease.bytes) == (0..<20).map { recording.images[$0 % 5] })
    }

    @Test(
        "A recording that may not be read is not called denied",
        .enabled(if: geteuid() != 0, "root may read everything"))
    func denied() async throws {
        let recording = try RecordedImages(count: 2)
        let path = try recording.file()
        let camera = FileCamera(name: "file", configuration: FileCameraConfiguration(path: path))
        #expect(await camera.authorization() == .authorized)
        #expect(try ExternalTool.run("chmod", "000", path).status == 0)
        #expect(await camera.authorization() == .denied)
        #expect(await problem(path)?.code == .denied)
    }

    @Test("Reports the system's refusal as such", arguments: [EACCES, EPERM])
    func refusal(code: Int32) {
        let problem = RecordingProblem(PosixError(code: code, operation: "open", subject: "/recording/1.jpg"))
        #expect(problem.code == .denied)
        #expect(problem.description.contains("/recording/1.jpg"))
    }

    @Test("Accepts exactly what it offers")
    func offers() async throws {
        let recording = try RecordedImages(count: 2)
        let path = try recording.file()
        let camera = FileCamera(name: "file", configuration: FileCameraConfiguration(path: path))
        let offer = try #require(try await camera.capabilities().formats.first)
        #expect(offer.pixelFormat == .mjpeg)
        #expect(offer.sizes.map(\.widths) == [PixelRange(64, 64)])
        #expect(offer.sizes.map(\.heights) == [PixelRange(48, 48)])
        #expect(offer.sizes[0].intervals[0].shortestNanoseconds == 1_000_000)
        #expect(await problem(path, FormatRequest(width: 64, height: 48, framesPerSecond: 1000)) == nil)
        let refused = await problem(path, FormatRequest(width: 65))
        #expect(refused?.code == .unsupportedFormat)
        #expect(refused?.reason.contains("64x48") == true)
        for rate in [0, -1, .nan, .infinity, 1001] {
            #expect(await problem(path, FormatRequest(framesPerSecond: rate))?.code == .unsupportedFormat)
        }
    }

    @Test("Refuses a configuration that makes no sense")
    func configuration() async throws {
        var wrong = FileCameraConfiguration(path: "/", framesPerSecond: .nan)
        for (key, change) in Self.mistakes {
            wrong = FileCameraConfiguration(path: "/")
            change(&wrong)
            #expect(wrong.problem?.hasPrefix(key) == true)
            let camera = FileCamera(name: "wrong", configuration: wrong)
            let error = await #expect(throws: CameraError.self) {
                try await camera.start(FormatRequest(), clock: ManualTimeSource())
            }
            #expect(error?.reason.contains(key) == true)
        }
    }

    private static let mistakes: [(String, @Sendable (inout FileCameraConfiguration) -> Void)] = [
        ("path", { $0.path = "" }), ("framesPerSecond", { $0.framesPerSecond = 0 }),
        ("framesPerSecond", { $0.framesPerSecond = .nan }), ("phaseMilliseconds", { $0.phaseMilliseconds = .infinity }),
    ]
}

/// Each check is a test of its own; its name says what would be wrong.
@Suite("As any camera: file")
struct FileConformanceTests {
    @Test("Folder of images", .timeLimit(.minutes(10)), arguments: ConformanceCheck.allCases)
    func folder(check: ConformanceCheck) async throws {
        let recording = try RecordedImages(count: 7)
        try await conformance(playing: try recording.folder()).run(check)
    }

    @Test("File of images", .timeLimit(.minutes(10)), arguments: ConformanceCheck.allCases)
    func file(check: ConformanceCheck) async throws {
        let recording = try RecordedImages(count: 7)
        try await conformance(playing: try recording.file()).run(check)
    }

    private func conformance(playing path: String) -> CameraConformance {
        CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, framesPerSecond: 100), clock: SystemTimeSource(),
            makeCamera: { FileCamera(name: "file", configuration: FileCameraConfiguration(path: path)) },
            makeOther: { FileCamera(name: "other", configuration: FileCameraConfiguration(path: path)) })
    }
}

@Suite("File camera: order of names")
struct NaturalOrderTests {
    @Test("Plays images in numeric order")
    func order() {
        let ordered = [
            "", "0.jpg", "00.jpg", "01.jpg", "1.jpg", "2.jpg", "10.jpg", "18446744073709551616.jpg",
            "99999999999999999999999999999999999999.jpg", "a", "a1b2.jpg", "a1b10.jpg", "a2b1.jpg", "img9.jpg",
            "img10.jpg", "img10a.jpg", "ä1.jpg",
        ]
        #expect(ordered.shuffled().sorted(by: NaturalOrder.precedes) == ordered)
        for (index, left) in ordered.enumerated() {
            for (other, right) in ordered.enumerated() {
                #expect(NaturalOrder.precedes(left, right) == (index < other), "\(left) and \(right)")
            }
        }
    }
}
