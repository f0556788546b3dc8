import CaptureModel
import CaptureTestSupport
import ShotDocuments
import Testing

/// `capctl record start`, `record stop` and `takes show` with `--format json`.
struct TakeAnswer: Decodable, Sendable {
    var cameras: [Camera]
    var folder: String
    private var manifest: ShotDocument
    var title: String?

    var take: Shot { manifest.value }

    private enum CodingKeys: String, CodingKey {
        case cameras, folder, title
        case manifest = "take"
    }

    struct Camera: Decodable, Sendable {
        var device: DeviceID
        var frames: Int?
        var frameReason: String?
        var outcome: Capture.Phase
        var problem: CaptureProblem?
    }

    /// The path of a camera's file.
    func path(_ capture: Capture, _ kind: AssetKind) throws -> String {
        guard let path = capture.files.first(where: { $0.kind == kind })?.path else {
            throw SystemTestError(
                "\(capture.device.id) has no \(kind.rawValue): \(String(describing: capture.problem))")
        }
        return folder + "/" + path
    }
}

/// `capctl record status --format json`.
struct RecordStatusAnswer: Decodable, Sendable {
    var takes: [Item]

    struct Item: Decodable, Sendable {
        var cameras: [Camera]
        var id: ShotID
        var expected: Int
        var marks: Int
    }

    struct Camera: Decodable, Sendable {
        var durationNanoseconds: Int64
        var frames: Int
        var segmentNumber: Int
    }
}

extension TestRig {
    func record(_ arguments: String..., expecting status: Int32) async throws -> TakeAnswer {
        let outcome = try await capctl.run(["record"] + arguments + ["--format", "json"])
        #expect(outcome.status == status, "\(outcome.errors)\n\(outcome.output)")
        return try outcome.json(TakeAnswer.self)
    }

    /// Waits until so many cameras have recorded so much of the only take.
    func awaitRecording(of cameras: Int, reaching length: Duration) async throws {
        try await within(Self.patience, "\(cameras) cameras to have recorded \(length)") { [capctl] in
            while true {
                let takes = try await capctl.ask(RecordStatusAnswer.self, "record", "status").takes
                let recorded = takes.first?.cameras.filter { .nanoseconds($0.durationNanoseconds) >= length } ?? []
                if recorded.count >= cameras { return }
            }
        }
    }
}
