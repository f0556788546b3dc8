import CaptureModel
import CaptureTestSupport
import Foundation
import Testing
import TimeCode
import TurboJPEG

/// Checks stills by what other programs, and their pixels, say of them.
enum StillCheck {
    /// Every file that ends in `.jpg` in a folder and below, but for a library's small pictures.
    static func stills(in folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".jpg") && !$0.contains(".previews/") }.map { folder + "/" + $0 }.sorted()
    }

    /// Whole images, as `jpeginfo` sees them.
    static func expectWhole(_ files: [String]) async throws {
        guard !files.isEmpty else { return }
        let info = try await tool(["jpeginfo", "-c"] + files)
        #expect(info.status == 0, "\(info.output)\(info.errors)")
        #expect(
            info.output.split(separator: "\n").count { $0.contains(" OK") } == files.count,
            "\(info.output)\(info.errors)")
    }

    /// Metadata without a fault, as `exiftool` sees it.
    static func expectValidMetadata(_ files: [String]) async throws {
        let report = try await tool(["exiftool", "-validate", "-warning", "-a", "-s3"] + files)
        #expect(report.status == 0, "\(report.output)\(report.errors)")
        #expect(
            report.output.split(separator: "\n").count { $0 == "OK" } == files.count, "\(report.output)\(report.errors)"
        )
    }

    /// The bytes announced, as `sha256sum` counts them.
    static func expectDigests(_ files: [ShotAnswer.File]) async throws {
        let stored = files.filter { $0.path != nil }
        guard !stored.isEmpty else { return }
        let sums = try await tool(["sha256sum"] + stored.compactMap(\.path)).output.split(separator: "\n")
        #expect(sums.map { $0.prefix(64).description } == stored.map { $0.sha256 ?? "none" })
    }

    /// The skew that the manifest tells is the one in the pixels, within its bound; and no two pictures are one frame.
    static func expectSkewsInPixels(_ shot: Shot, in folder: String) throws {
        try expectTrueSkews(shot, in: folder)
        for capture in shot.captures {
            let timing = try #require(capture.timing)
            #expect(timing.midExposure.boundNanoseconds < 50_000_000, "the bound says nothing")
            #expect(abs(timing.skewNanoseconds) < 100_000_000, "the frame is not of T")
        }
    }

    /// The same on a machine that may be so busy that the nearest frame is far from T, and the clock's bound large.
    static func expectTrueSkews(_ shot: Shot, in folder: String) throws {
        let instant = shot.wallClock.realtimeNanoseconds(at: shot.time)
        var cameras: Set<UInt16> = []
        for capture in shot.captures {
            let path = try #require(capture.files.first?.path, "\(capture.device.id) has no picture")
            let timing = try #require(capture.timing)
            let code = try timeCode(of: folder + "/" + path)
            let error = timing.skewNanoseconds - (code.realtimeNanoseconds - instant)
            #expect(
                abs(error) <= timing.midExposure.boundNanoseconds,
                "\(capture.device.id) says \(timing.skewNanoseconds) ns and is off by \(error) ns")
            cameras.insert(code.cameraNumber)
        }
        #expect(cameras.count == shot.captures.count, "two pictures are of one camera")
    }

    static func timeCode(of file: String) throws -> TimeCode {
        try timeCode(in: [UInt8](try Data(contentsOf: URL(filePath: file))))
    }

    static func timeCode(in jpeg: [UInt8]) throws -> TimeCode {
        let image = try luma(of: jpeg)
        return try TimeCode.decode(
            luma: image.bytes.span, width: image.width, height: image.height, stride: image.width)
    }

    static func luma(of jpeg: [UInt8]) throws -> LumaImage {
        var image = LumaImage()
        try JPEGDecoder().decodeLuma(jpeg.span, into: &image)
        return image
    }

    private static func tool(_ command: [String]) async throws -> Capctl.Outcome {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            command[0], program: "/usr/bin/env", arguments: command, log: folder.path + "/log")
        return try await Capctl.outcome(of: program)
    }
}

/// The example `avcam`, run with virtual cameras into a folder of its own.
struct AVCamRun {
    let folder: TemporaryFolder
    /// Everything it said, line by line.
    private(set) var lines: [String] = []

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A run to its end, which has to be a good one.
    static func of(_ arguments: String...) async throws -> AVCamRun {
        var run = try AVCamRun()
        try await run.go(arguments)
        return run
    }

    /// A run of somebody who has no other permissions for the library than these, and a spool elsewhere.
    /// - Parameter permissions: `rwx` as a number.
    static func of(_ command: String, library permissions: Int, expecting status: Int32 = 0) async throws -> AVCamRun {
        var run = try AVCamRun()
        let own = try TemporaryFolder()
        let spool = own.path + "/spool"
        var arguments = [try Programs.path("avcam"), command, run.folder.path, "--spool", spool]
        if geteuid() == 0 {
            // Nothing is refused to root.
            arguments = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + arguments
            try FileManager.default.setAttributes(
                [.ownerAccountID: 65534, .groupOwnerAccountID: 65534], ofItemAtPath: own.path)
        }
        func permit(_ permissions: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: run.folder.path)
        }
        try permit(permissions << 6 | permissions)
        let program = try RunningProgram("avcam", program: "/usr/bin/env", arguments: arguments, log: own.path + "/log")
        let outcome = try await Capctl.outcome(of: program, within: .seconds(50))
        try permit(0o700)
        if status == 0 {
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool + "/captures").isEmpty, "not released")
        }
        #expect(outcome.status == status, "\(arguments): \(outcome.errors)\n\(outcome.output)")
        run.lines = outcome.output.split(separator: "\n").map(String.init)
        return run
    }

    /// Runs a command to its end, in the same folder as those before.
    mutating func go(_ arguments: [String]) async throws {
        let outcome = try await Capctl.outcome(of: try start(arguments), within: .seconds(50))
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)\n\(outcome.output)")
        lines = outcome.output.split(separator: "\n").map(String.init)
    }

    /// Starts a command and goes on.
    func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            "avcam", program: try Programs.path("avcam"),
            arguments: Array(arguments.prefix(1)) + [folder.path] + arguments.dropFirst(), log: folder.path + "/log")
    }

    /// The first word of each step that was told of a capture.
    func steps(of name: String) -> [String] {
        lines.filter { $0.hasPrefix(name + ": ") }
            .compactMap { $0.dropFirst(name.count + 2).split(separator: " ").first.map(String.init) }
            .filter { $0 != "note:" && $0 != "LIVE" }
    }

    /// What a device's session told, without its sentences.
    func notices(of device: String) -> [String] {
        lines.filter { $0.hasPrefix(device + ": ") }.map { line in
            let words = line.dropFirst(device.count + 2).split(separator: " ").map { $0.filter { $0 != ":" } }
            return words.prefix(words[0] == "runtimeError" ? 1 : 2).joined(separator: " ")
        }
    }

    /// Files in the folder whose names end like that, in order of their captures.
    func files(_ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { $0.hasSuffix(suffix) }
            .map { folder.path + "/" + $0 }
    }

    /// Nothing is left in the spool, where files stay until they are saved.
    func expectEmptySpool() throws {
        for part in ["captures", "recordings", "deferred"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.spool/" + part)
            #expect(names.isEmpty)
        }
    }
}

/// Runs `capctl` as a user does.
struct Capctl: Sendable {
    /// Where logs go.
    let folder: String
    /// The folder of a coordinator's admin key.
    var admin: String?
    /// Variables of every command.
    var environment: [String: String] = [:]
    /// How long a command may take unless it is told otherwise.
    static let limit = TestRig.patience
    /// The exit status of a command that no coordinator has answered in time.
    static let noCoordinator: Int32 = 6

    /// How a command ended and what it said.
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String

        /// What the command printed as JSON.
        func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
            do {
                return try JSONDecoder().decode(type, from: Data(output.utf8))
            } catch {
                throw SystemTestError("this is no \(type): \(error)\n\(output.prefix(2000))\n\(errors)")
            }
        }
    }

    /// Starts a command and goes on.
    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
        var environment = self.environment.merging(environment) { _, given in given }
        environment["CAPRIG_ADMIN"] = admin
        return try RunningProgram(
            "capctl \(arguments.joined(separator: " "))", program: Programs.path("capctl"), arguments: arguments,
            environment: environment, log: "\(folder)/capctl-\(UUID().uuidString.prefix(8)).log")
    }

    /// Runs a command to its end.
    @discardableResult
    func run(_ arguments: String..., within limit: Duration = Capctl.limit) async throws -> Outcome {
        try await run(arguments, within: limit)
    }

    @discardableResult
    func run(_ arguments: [String], within limit: Duration = Capctl.limit) async throws -> Outcome {
        try await Self.outcome(of: try start(arguments), within: limit)
    }

    /// Runs a command to its end, and again where no coordinator has answered in time: on a busy machine that may be so of one
    /// that runs. The command is one that may be repeated.
    func repeating(_ arguments: String...) async throws -> Outcome {
        try await repeating(arguments)
    }

    func repeating(_ arguments: [String]) async throws -> Outcome {
        let deadline = ContinuousClock.now + TestRig.patience
        while true {
            let outcome = try await run(arguments)
            guard outcome.status == Self.noCoordinator, ContinuousClock.now < deadline else { return outcome }
        }
    }

    /// Asks until an answer is as it should be; a coordinator that does not answer in time is asked again. Every command is a process,
    /// so there is a pause between two of them.
    /// - Parameter what: What is waited for.
    func ask<Answer: Decodable & Sendable>(
        _ type: Answer.Type, _ arguments: String..., until what: String, _ isExpected: (Answer) throws -> Bool
    ) async throws -> Answer {
        try await ask(type, arguments, until: what, isExpected)
    }

    func ask<Answer: Decodable & Sendable>(
        _ type: Answer.Type, _ arguments: [String], until what: String, _ isExpected: (Answer) throws -> Bool
    ) async throws -> Answer {
        let deadline = ContinuousClock.now + TestRig.patience
        while true {
            let outcome = try await repeating(arguments + ["--format", "json"])
            let answer = try outcome.json(type)
            if try isExpected(answer) { return answer }
            guard ContinuousClock.now < deadline else {
                throw SystemTestError("waited in vain for \(what) for \(TestRig.patience): \(outcome.output)")
            }
            try await TestRig.pause()
        }
    }

    /// Waits for the end of a command that was started.
    static func outcome(of program: RunningProgram, within limit: Duration = Capctl.limit) async throws -> Outcome {
        let output = try await program.restOfOutput(within: limit)
        return Outcome(status: try await program.exitStatus(within: limit), output: output, errors: program.log)
    }

    /// Runs a command that prints JSON.
    func ask<Answer: Decodable>(_ type: Answer.Type, _ arguments: String...) async throws -> Answer {
        try await ask(type, arguments)
    }

    func ask<Answer: Decodable>(_ type: Answer.Type, _ arguments: [String]) async throws -> Answer {
        try await Self.outcome(of: try start(arguments + ["--format", "json"])).json(type)
    }
}

/// Checks the sound of clips and movies of virtual cameras, whose pictures say when they were exposed.
enum SoundCheck {
    /// Every whole second is to be heard when the pictures show it, to 10 ms, and no sample is silence that was put in.
    static func expectTogether(_ movie: String, marks count: Int) async throws {
        let folder = try TemporaryFolder()
        let (picture, sound) = (folder.path + "/first.jpg", folder.path + "/sound.raw")
        _ = try await output([
            "ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-map", "0:v:0", "-c", "copy", "-frames:v", "1", "-f",
            "image2", picture,
        ])
        _ = try await output([
            "ffmpeg", "-nostdin", "-v", "error", "-i", movie, "-map", "0:a:0", "-ac", "1", "-ar", "48000", "-f",
            "s16le", sound,
        ])
        let first = try await output([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
            "-read_intervals", "%+#1", movie,
        ])
        let time = try #require(Double(first.prefix { $0 != "\n" && $0 != "," }), "\(movie): \(first)")
        let start = try StillCheck.timeCode(of: picture).realtimeNanoseconds - Int64(time * 1e9)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: sound)))
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        // The noise between marks is never 0; a mark passes through it, one sample at a time.
        let silence = samples.split { $0 != 0 }.map(\.count).max() ?? 0
        #expect(silence < 4, "\(movie): \(silence) samples in a row are silence, of \(samples.count)")
        // One that the beginning cuts off has no beginning of its own.
        let marks = HeardMark.all(in: samples, rate: 48_000).filter { $0.frame > 48 }
        #expect(marks.count >= count, "\(movie): \(marks.count) marks in \(samples.count) samples")
        for mark in marks {
            let instant = start + Int64(mark.frame) * 1_000_000_000 / 48_000
            let offset = (instant + 500_000_000) % 1_000_000_000 - 500_000_000
            #expect(abs(offset) < 10_000_000, "\(movie): a mark is heard \(offset) ns from where the pictures have it")
        }
    }

    private static func output(_ command: [String]) async throws -> String {
        let outcome = try await LivePhotoCheck.tool(command)
        #expect(outcome.status == 0, "\(command): \(outcome.errors)")
        return outcome.output
    }
}
