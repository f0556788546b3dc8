import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

/// Shots and takes on a machine that may be so busy that a camera loses frames or a node is late. Then a shot may lack
/// pictures, but its manifest has to say which and why; and a shot that lacks none comes sooner or later.
extension TestRig {
    /// Triggers until a shot is complete, each time a new one. Each has to be truthful.
    func completeShot(_ arguments: String...) async throws -> ShotAnswer { try await completeShot(arguments) }

    func completeShot(_ arguments: [String]) async throws -> ShotAnswer {
        try await untilComplete("shot") {
            let answer = try await settledShot(.fresh(), arguments)
            try await expectTruthful(answer.shot, in: answer.folder)
            if answer.shot.status == .complete { try await expectStored(answer.shot, in: answer.folder) }
            return (answer, answer.shot)
        }
    }

    /// Triggers, or repeats a trigger, and waits until every file of the shot has its outcome.
    func settledShot(_ id: ShotID, _ arguments: [String]) async throws -> ShotAnswer {
        let options = ["--id", id.description, "--timeout", "60s", "--format", "json"]
        let outcome = try await capctl.repeating(["trigger"] + arguments + options)
        let answer = try outcome.json(ShotAnswer.self)
        #expect(answer.shot.id == id)
        guard answer.shot.status == .open else {
            let statuses: [Shot.Status: Int32] = [.complete: 0, .partial: 3, .failed: 4]
            #expect(outcome.status == statuses[answer.shot.status], "\(outcome.errors)\n\(outcome.output)")
            return answer
        }
        #expect(outcome.status == 3, "\(outcome.errors)\n\(outcome.output)")
        return try await capctl.ask(ShotAnswer.self, "shots", "show", id.description, until: "the shot to settle") {
            $0.shot.status != .open
        }
    }

    /// Records at least so much with the cameras until a take is complete, each time a new one. Each has to be truthful.
    func completeTake(of length: Duration, _ arguments: String...) async throws -> TakeAnswer {
        try await completeTake(of: length, arguments)
    }

    func completeTake(of length: Duration, _ arguments: [String]) async throws -> TakeAnswer {
        try await untilComplete("take") {
            let answer = try await settledTake(of: length, arguments)
            try await expectTruthful(answer.take, in: answer.folder)
            return (answer, answer.take)
        }
    }

    private func settledTake(of length: Duration, _ arguments: [String]) async throws -> TakeAnswer {
        let id = ShotID.fresh().description
        let start = ["record", "start"] + arguments + ["--id", id, "--format", "json"]
        let begun = try await capctl.repeating(start).json(TakeAnswer.self)
        guard begun.cameras.contains(where: { $0.outcome == .captured }) else { return begun }
        _ = try await capctl.ask(RecordStatusAnswer.self, "record", "status", until: "\(length) to be recorded") {
            status in
            // A camera that has been interrupted records no more, and a take of such cameras alone has ended.
            let cameras = status.takes.first { $0.id.description == id }?.cameras ?? []
            return cameras.allSatisfy { .nanoseconds($0.durationNanoseconds.value) >= length }
        }
        let stopped = try await capctl.repeating("record", "stop", id, "--format", "json").json(TakeAnswer.self)
        guard stopped.take.status == .open else { return stopped }
        return try await capctl.ask(TakeAnswer.self, "takes", "show", id, until: "the take to settle") {
            $0.take.status != .open
        }
    }

    private func untilComplete<Answer>(
        _ what: String, _ attempt: () async throws -> (answer: Answer, shot: Shot)
    ) async throws -> Answer {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let (answer, shot) = try await attempt()
            if shot.status == .complete { return answer }
            guard ContinuousClock.now < deadline else {
                let problems = shot.captures.map { "\($0.device.id): \(String(describing: $0.problem))" }
                throw SystemTestError("no \(what) was complete within \(Self.patience); of the last one, \(problems)")
            }
        }
    }

    /// Every file of a shot that has settled has its outcome: what is stored has the bytes that the manifest tells, and what is
    /// not has a reason.
    func expectTruthful(_ shot: Shot, in folder: String) async throws {
        #expect(!shot.captures.isEmpty && shot.status != .open)
        for capture in shot.captures {
            #expect(capture.isSettled && !capture.files.isEmpty, "\(capture.device.id) is \(capture.phase)")
            for file in capture.files where !file.isStored {
                let reason = file.problem ?? capture.problem
                #expect(
                    file.path == nil && reason?.message.isEmpty == false,
                    "the \(file.kind.rawValue) of \(capture.device.id) is \(file.outcome), and nothing says why")
            }
        }
        let files = shot.captures.flatMap(\.files)
        let isWhole = shot.captures.allSatisfy { $0.phase == .done }
        #expect((shot.status == .complete) == isWhole, "a shot with \(shot.captures.map(\.phase)) is \(shot.status)")
        #expect(!isWhole || files.allSatisfy(\.isStored))
        #expect(shot.status != .failed || !files.contains { $0.kind == .photo && $0.isStored })
        let stored = files.filter(\.isStored)
        let paths = stored.map { "\(folder)/\($0.path ?? "")" }
        guard !stored.isEmpty else { return }
        let sums = try await LivePhotoCheck.tool(["sha256sum"] + paths).output.split(separator: "\n")
        #expect(sums.map { $0.prefix(64).description } == stored.map { $0.digest?.description ?? "none" })
        try await StillCheck.expectWhole(paths.filter { $0.hasSuffix(".jpg") })
    }

    /// `capctl` verifies the shot, its folder has the files of its manifest and no others, and no part of a file stays.
    func expectStored(_ shot: Shot, in folder: String) async throws {
        let verified = try await capctl.repeating("shots", "verify", shot.id.description, "--format", "json")
        #expect(verified.status == 0, "\(verified.errors)\n\(verified.output)")
        let paths = shot.captures.flatMap(\.files).compactMap(\.path)
        // Those of cameras that the shot does not have, too.
        let nodes = Set(shot.captures.map { "\($0.device.id.node)." })
        let devices = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            nodes.contains { name.hasPrefix($0) }
        }
        let found = try devices.flatMap { device in
            try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(device)").map { "\(device)/\($0)" }
        }
        #expect(found.sorted() == paths.sorted())
        // Of an earlier shot, a picture that comes late may be on its way.
        try await FolderWatch(library + "/.incoming").waitUntilEmpty(within: Self.patience)
    }
}
