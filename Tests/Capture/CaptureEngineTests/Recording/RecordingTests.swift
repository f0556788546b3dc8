import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Movies of takes, of a camera of 25 frames a second.
@Suite(.timeLimit(.minutes(10))) struct RecordingTests {
    private let movie = PhotoSettings(movie: MovieSettings())

    @Test("Records every frame from T to the stop, and refuses to replace the camera until then")
    func whole() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            let begun = try await begin(order, stage)
            #expect(begun.files == [] && begun.owed == AssetKind.ofMovie && begun.movie == nil)
            #expect((0..<40_000_000).contains(begun.timing.skewNanoseconds))
            let abilities = await stage.session.abilities
            #expect(abilities.photo.isAllowed && !abilities.switchInput.isAllowed && !abilities.record.isAllowed)
            let second = await stage.session.arm(stage.order(stage.now, shot: 2, settings: movie))
            #expect(throws: RigProblem.self) { try second.get() }
            let still = await stage.session.arm(stage.order(stage.now, shot: 3))
            #expect(throws: Never.self) { try still.get() }

            await stage.session.stopRecording(order.key, at: order.time + .seconds(1))
            await stage.pass(.milliseconds(900))
            let ended = try await ended(order, stage)
            #expect(ended.files.map(\.kind) == AssetKind.ofMovie && ended.owed == [])
            #expect(ended.movie?.frameCount == 25 && ended.movie?.missingFrames == 0 && ended.movie?.end == .stopped)
            #expect(ended.movie?.problem == nil && ended.movie?.note == nil)
            #expect(stage.recorder.growth(of: order.key) == [ended])
        }
    }

    @Test("Refuses to record on a machine that cannot write movies, and says what to install")
    func machineWithoutMovies() async throws {
        let stage = try Stage(recordsMovies: true, movieObstacle: "install the library")
        try await stage.run {
            await stage.start(frames: 10)
            let refusal = await stage.session.arm(stage.order(stage.now, settings: movie)).failure
            #expect(refusal == RigProblem(.unsupportedSettings, "north/cam: install the library"))
            let abilities = await stage.session.abilities
            #expect(abilities.record == .refused("north/cam: install the library") && abilities.photo.isAllowed)
        }
    }

    @Test("Records the gain of each frame")
    func gain() async throws {
        let stage = try Stage(recordsMovies: true) { $0.gainDecibels = 6 }
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            _ = try await begin(order, stage)
            await stage.session.stopRecording(order.key, at: order.time + .milliseconds(400))
            await stage.pass(.milliseconds(400))
            let ended = try await ended(order, stage)
            let lines = String(decoding: try await stage.bytes(of: .frames(.first), ended), as: UTF8.self).split(
                separator: "\n")
            #expect(lines.count == 11 && lines.dropFirst().allSatisfy { $0.contains(#""gain":6,"#) }, "\(lines)")
        }
    }

    @Test("Keeps an interrupted movie, and reports that it is incomplete")
    func interrupted() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            _ = try await begin(order, stage)
            await stage.pass(.milliseconds(400))
            await stage.session.stopRunning()
            let ended = try await ended(order, stage)
            #expect(ended.movie?.end == .interrupted && ended.movie?.problem?.code == .deviceLost)
            #expect(ended.files.map(\.kind) == AssetKind.ofMovie && (ended.movie?.frameCount ?? 0) > 5)
        }
    }

    @Test(
        "A camera that records is stopped only by force, and the answer says what is cut off")
    func cutting() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            _ = try await stage.session.arm(order).get()
            let armed = await #expect(throws: RigProblem.self) {
                try await stage.session.stopRunning(cuttingRecordings: false)
            }
            #expect(armed?.code == .conflict && armed?.message.contains("is about to record") == true)
            _ = try await begin(order, stage)
            await stage.pass(.milliseconds(400))
            let refusal = await #expect(throws: RigProblem.self) {
                try await stage.session.stopRunning(cuttingRecordings: false)
            }
            #expect(refusal?.code == .conflict)
            #expect(refusal?.message.contains("`capctl record stop \(order.key.shot)`") == true)
            #expect(await stage.session.condition.state == .running)
            let cuts = try await stage.session.stopRunning(cuttingRecordings: true)
            #expect(
                cuts.count == 1 && cuts.first?.contains("take \(order.key.shot) ended early, after 5") == true,
                "\(cuts)")
            #expect(await stage.session.condition.state == .stopped)
            let ended = try await ended(order, stage)
            #expect(ended.movie?.end == .interrupted)
            #expect((500_000_000..<600_000_000).contains(ended.movie?.durationNanoseconds ?? 0))
            #expect(
                try await stage.session.stopRunning(cuttingRecordings: false) == [], "there is nothing left to cut")
        }
    }

    @Test("Records a camera that drops its frames around T")
    func droppedBeginning() async throws {
        let stage = try Stage(recordsMovies: true) {
            $0.faults = [VirtualFault(.dropped, fromFrame: 12, count: 8)]
        }
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            let begun = try await begin(order, stage, within: .milliseconds(600))
            #expect(begun.timing.skewNanoseconds > 100_000_000)
            await stage.session.stopRecording(order.key, at: order.time + .seconds(1))
            await stage.pass(.milliseconds(600))
            let ended = try await ended(order, stage)
            #expect((15..<25).contains(ended.movie?.frameCount ?? 0) && ended.movie?.end == .stopped)
        }
    }

    @Test(
        "A movie begins a frame later than its node has told, when it learns later that this was a little before T"
    )
    func firstFrameBeforeTime() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let newest = try #require(await stage.session.ring.newest?.midExposure)
            let time = try #require(stage.rig.rigTime(at: newest + Stage.period * 5)).time
            let order = stage.order(time - .microseconds(500), settings: movie)
            _ = try await stage.session.arm(order).get()
            let result = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(40))
            stage.rig.learn(.milliseconds(-1))
            await stage.pass(.milliseconds(300))
            guard case .captured(let begun) = await result.value else {
                throw RigProblem(.noFrameNearTime, "the recording did not begin")
            }
            #expect(begun.timing.skewNanoseconds == -500_000)
            await stage.session.stopRecording(order.key, at: order.time + .milliseconds(400))
            await stage.pass(.milliseconds(300))
            _ = try await ended(order, stage)
            let sidecar = try stage.spool.opened(FileKey(capture: order.key, kind: .frames(.first)))
            let lines = String(decoding: try sidecar.read(at: 0, count: 1000), as: UTF8.self).split(separator: "\n")
            #expect(lines[1].hasPrefix("{\"presentationTime\":0,"))
            #expect(lines[1].contains("\"number\":\(begun.timing.sequence),"))
        }
    }

    @Test("Reports a stop that arrives late")
    func lateStop() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            _ = try await begin(order, stage)
            await stage.pass(.milliseconds(600))
            await stage.session.stopRecording(order.key, at: order.time + .milliseconds(200))
            let ended = try await ended(order, stage)
            #expect(ended.movie?.end == .stopped && ended.movie?.problem == nil)
            #expect(ended.movie?.note?.contains("arrived") == true)
            #expect((ended.movie?.durationNanoseconds ?? 0) > 200_000_000)
        }
    }

    @Test("Keeps a camera on standby open until its recording ends, and no longer")
    func lastViewer() async throws {
        let stage = try Stage(policy: SessionPolicy(standby: .onDemand), recordsMovies: true)
        try await stage.run {
            let watching = Task { await stage.session.need(.preview) }
            await stage.start(frames: 10)
            #expect(await watching.value == nil)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            _ = try await begin(order, stage)
            await stage.session.release(.preview)
            await stage.session.stopRecording(order.key, at: order.time + .seconds(1))
            await stage.pass(.milliseconds(900))
            let ended = try await ended(order, stage)
            #expect(ended.movie?.frameCount == 25 && ended.movie?.end == .stopped)
            await stage.pass(until: .stopped, times: 2)
        }
    }

    @Test("Refuses a movie where the spool has room for stills only")
    func noRoom() async throws {
        let stage = try Stage(spoolLimit: 8 << 20, recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let refused = await stage.session.arm(stage.order(stage.now + .milliseconds(100), settings: movie))
            let problem = #expect(throws: RigProblem.self) { try refused.get() }
            #expect(problem?.code == .noSpace && problem?.message.contains("the recording was not started") == true)
            let still = await stage.session.arm(stage.order(stage.now, shot: 2))
            #expect(throws: Never.self) { try still.get() }
        }
    }

    @Test(
        "A movie that the disk refused to finish once is given up, though all of it is there, or is in the spool twice",
        arguments: [(FileStep.rename, ".mov.tmp"), (.remove, ".recording.mov")])
    func refusedOnce(step: FileStep, suffix: String) async throws {
        let refusals = Locked(0)
        let disk = Self.refusing(step, of: suffix) {
            refusals.withLock { count in
                count += 1
                return count == 1
            }
        }
        let stage = try Stage(diskFaults: [disk], recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            _ = try await begin(order, stage)
            await stage.session.stopRecording(order.key, at: order.time + .milliseconds(400))
            let ended = try await ended(order, stage, passing: .seconds(1))
            #expect(ended.files.map(\.kind) == AssetKind.ofMovie && ended.movie?.frameCount == 10)
            #expect(try stage.spool.recordings.names() == [])
        }
    }

    @Test(
        "A movie that the disk refuses to finish waits for ever, or what was recorded is thrown away",
        arguments: [(FileStep.rename, ".mov.tmp", 2), (.remove, ".recording.mov", 3), (.read, ".movie.mov", 2)])
    func refusedAlways(step: FileStep, suffix: String, keptFiles: Int) async throws {
        let stage = try Stage(diskFaults: [Self.refusing(step, of: suffix) { true }], recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let order = stage.order(stage.now + .milliseconds(100), settings: movie)
            _ = try await begin(order, stage)
            await stage.session.stopRecording(order.key, at: order.time + .milliseconds(400))
            await stage.pass(.seconds(40))
            #expect(await stage.spool.report(of: order.key)?.owed == AssetKind.ofMovie)
            let ended = try await ended(order, stage, passing: .seconds(1))
            #expect(ended.files == [] && ended.failed.map(\.problem.code) == [.inputOutput, .inputOutput])
            #expect(ended.failed.first?.problem.message.contains("moved to \(stage.spool.damagedPath)") == true)
            let kept = try #require(try await stage.spool.damagedCaptures().first)
            #expect(kept.key == order.key && kept.names.count == keptFiles && kept.byteCount > 10_000, "\(kept)")
        }
    }

    @Test("Delivers each file of a recording when it is complete, without losing a frame between files")
    func segments() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            let settings = PhotoSettings(movie: MovieSettings(segmentDurationNanoseconds: 1_000_000_000))
            let order = stage.order(stage.now + .milliseconds(100), settings: settings)
            var first = try await begin(order, stage)
            #expect(first.owed == AssetKind.ofMovie)
            // Into the second file, and no further: fewer frames than may wait for a disk that does not keep up with this clock.
            await stage.pass(.milliseconds(1500))
            while first.files.isEmpty {
                first = try #require(await stage.spool.report(of: order.key))
            }
            #expect(first.files.prefix(2).map(\.kind) == AssetKind.ofMovie && first.movie == nil)
            #expect(first.owedSegment?.value == first.files.count / 2 + 1)
            var numbers = try await numbers(in: first, stage)
            #expect(numbers.count == 25 && first.files.count == 2)
            for file in first.files {
                try await stage.spool.release(FileKey(capture: order.key, kind: file.kind), digest: file.digest)
            }
            #expect(await stage.spool.usage().storedBytes == 0)

            await stage.session.stopRecording(order.key, at: stage.now + .milliseconds(2200))
            await stage.pass(.milliseconds(2400))
            let ended = try await ended(order, stage)
            #expect(ended.owed == [] && ended.failed == [] && ended.recorded == nil)
            let segments = ended.files.compactMap { $0.kind.isMovie ? $0.kind.segment?.value : nil }
            #expect(segments == Array(first.files.count / 2 + 1...first.files.count / 2 + segments.count))
            #expect(segments.count >= 2 && ended.movie?.segmentCount == segments.last)
            numbers += try await self.numbers(in: ended, stage)
            #expect(numbers == Array((numbers.first ?? 0)..<(numbers.first ?? 0) + numbers.count))
            #expect(ended.movie?.frameCount == numbers.count && ended.movie?.missingFrames == 0)
            let length = Int64(numbers.count - 1) * Stage.period.nanoseconds
            #expect((length..<length + Stage.period.nanoseconds).contains(ended.movie?.durationNanoseconds ?? 0))
            #expect(try stage.spool.recordings.names() == [])
        }
    }

    /// The numbers of the frames in the files that a report lists.
    private func numbers(in report: CaptureReport, _ stage: Stage) async throws -> [Int] {
        var numbers: [Int] = []
        for file in report.files where !file.kind.isMovie {
            let text = String(decoding: try await stage.bytes(of: file.kind, report), as: UTF8.self)
            numbers += text.split(separator: "\n").compactMap { line in
                line.firstRange(of: "\"number\":").flatMap { Int(line[$0.upperBound...].prefix { $0.isNumber }) }
            }
        }
        return numbers
    }

    @Test("Refuses a take that would need more files than allowed")
    func tooManySegments() async throws {
        let stage = try Stage(recordsMovies: true)
        try await stage.run {
            await stage.start(frames: 10)
            var movie = MovieSettings(
                maxRecordedDurationNanoseconds: 100_000_000_000, segmentDurationNanoseconds: 1_000_000_000)
            let refused = await stage.session.arm(
                stage.order(stage.now + .milliseconds(100), settings: PhotoSettings(movie: movie)))
            let problem = #expect(throws: RigProblem.self) { try refused.get() }
            #expect(problem?.code == .unsupportedSettings && problem?.message.contains("99 files") == true)
            movie.maxRecordedDurationNanoseconds = 99_000_000_000
            let armed = await stage.session.arm(
                stage.order(stage.now + .milliseconds(100), shot: 2, settings: PhotoSettings(movie: movie)))
            #expect(throws: Never.self) { try armed.get() }
        }
    }

    /// A disk that refuses a step with a file, as often as `refuses` says.
    private static func refusing(
        _ refused: FileStep, of suffix: String, _ refuses: @escaping @Sendable () -> Bool
    ) -> FileFault {
        { step, path in step == refused && path.hasSuffix(suffix) && refuses() ? EIO : nil }
    }

    /// Arms and fires, and lets the first frame come.
    private func begin(
        _ order: CaptureOrder, _ stage: Stage, within duration: Duration = .milliseconds(250)
    ) async throws -> CaptureReport {
        _ = try await stage.session.arm(order).get()
        let result = Task { await stage.session.fire(order.key) }
        await stage.pass(duration)
        guard case .captured(let report) = await result.value else {
            throw RigProblem(.noFrameNearTime, "the recording did not begin")
        }
        return report
    }

    /// Waits until the movie is part of its capture, or given up.
    /// - Parameter passing: Lets so much time pass again and again: the disk's work goes on in time of its own, and waits for
    ///   the clock's only when it has come so far.
    private func ended(
        _ order: CaptureOrder, _ stage: Stage, passing: Duration? = nil
    ) async throws -> CaptureReport {
        while let passing, await stage.spool.report(of: order.key)?.owed.isEmpty == false { await stage.pass(passing) }
        await stage.recorder.wait(for: order.key) { if case .didFinishCapture = $0 { true } else { false } }
        return try #require(await stage.spool.report(of: order.key))
    }
}
