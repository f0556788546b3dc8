internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl record status`.
struct RecordStatusCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show takes under way, and what each camera has recorded.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            RecordStatusReport(status: try await client.status(), devices: try await client.devices())
        }
        console.write(try report.rendered(as: output.format))
        return .complete
    }
}

/// Takes under way.
struct RecordStatusReport: Report {
    var status: RigStatus
    var devices: [DeviceStatus]

    /// `capctl record status --format json`.
    struct Document: Encodable {
        var takes: [Item]

        struct Item: Encodable {
            var cameras: [Camera]
            var captured: Int
            var done: Int
            var elapsedNanoseconds: Int64
            var expected: Int
            var failed: Int
            var id: ShotID
            var isStopped: Bool
            var marks: Int
            var missed: Int
            var partial: Int
        }

        struct Camera: Encodable {
            var byteCount: Int64
            var device: DeviceID
            var durationNanoseconds: Int64
            var frames: Int
            var segmentNumber: Int
        }
    }

    var document: Document {
        Document(
            takes: status.takes.map { take in
                Document.Item(
                    cameras: recordings(of: take.id).map { device, recording in
                        Document.Camera(
                            byteCount: recording.byteCount, device: device,
                            durationNanoseconds: recording.durationNanoseconds, frames: recording.frameCount,
                            segmentNumber: recording.segmentNumber)
                    },
                    captured: take.captures.captured, done: take.captures.done,
                    elapsedNanoseconds: elapsed(take).nanoseconds, expected: take.captures.expected,
                    failed: take.captures.failed, id: take.id, isStopped: take.stopTime != nil, marks: take.marks,
                    missed: take.captures.missed, partial: take.captures.partial)
            })
    }

    var table: String {
        guard !status.takes.isEmpty else { return "nothing is being recorded\n" }
        return status.takes.map(text).joined(separator: "\n")
    }

    private func text(_ take: OpenTake) -> String {
        let isStopped = take.stopTime != nil
        let state =
            isStopped ? "is stopped, and its movies are being collected" : "records for \(elapsed(take).shortText)"
        let captures = take.captures
        let phases: [(String, Int)] = [
            (isStopped ? "to collect" : "recording", captures.captured), ("done", captures.done),
            ("partial", captures.partial), ("missed", captures.missed), ("failed", captures.failed),
        ]
        let counts = phases.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        let columns: [Table.Column] = [
            .init("CAMERA"), .init("FILE", .right), .init("FRAMES", .right), .init("LENGTH", .right),
            .init("BYTES", .right),
        ]
        let rows = recordings(of: take.id).map { device, recording -> [String] in
            let length = Duration.nanoseconds(recording.durationNanoseconds).shortText
            return [
                device.description, "\(recording.segmentNumber)", "\(recording.frameCount)", length,
                "\(recording.byteCount)",
            ]
        }
        let sizes = "\(captures.expected.counted("camera")), \(counts), \(take.marks.counted("mark"))"
        let line = "take \(take.id) \(state): \(sizes)\n"
        return rows.isEmpty ? line : line + Table(columns: columns, rows: rows).rendered()
    }

    private func elapsed(_ take: OpenTake) -> Duration {
        max(.zero, min(take.stopTime ?? status.now, status.now) - take.time)
    }

    private func recordings(of take: ShotID) -> [(DeviceID, RecordingProgress)] {
        devices.compactMap { status in
            guard let recording = status.condition.session?.recording, recording.take == take else { return nil }
            return (status.device.id, recording)
        }
    }
}
