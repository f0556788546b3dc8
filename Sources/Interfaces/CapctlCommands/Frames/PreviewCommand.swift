internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import RigWire

/// `capctl preview`.
struct PreviewCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "preview", abstract: "Write a camera's live pictures as MJPEG.",
        discussion: """
            Writes JPEG images one after another until it is interrupted. Whenever the reader is ready, it gets the newest \
            image, turned and mirrored so that it stands upright. To watch: capctl preview node1/cam1 | ffplay -f mjpeg -
            """)

    static let examples: [CommandExample] = [
        .shown("capctl preview node1/cam1 | ffplay -f mjpeg -", needs: "another program"),
        "capctl preview node1/cam1 --count 1 --kind full --output now.jpg",
    ]

    @OptionGroup var rig: RigOptions
    @Argument(help: "The camera, as node/device.", completion: .devices, transform: { try DeviceID($0) })
    var device: DeviceID
    @Option(help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"))
    var output: String?
    @Option(help: "End after this number of pictures.")
    var count: Int?
    @Option(
        help: ArgumentHelp(
            "The largest size, such as 640x360: the picture is the camera's, or half, a quarter or an eighth of it.",
            valueName: "WxH"))
    var size: PictureSize?
    @Option(
        help: ArgumentHelp("The kind of picture: preview, full, half, quarter or eighth.", valueName: "kind"),
        transform: FrameOptions.kind)
    var kind: FrameKind?
    @Option(
        help: ArgumentHelp("How long to wait for a picture (10s).", valueName: "duration"),
        transform: FrameOptions.duration)
    var timeout: Duration = .seconds(10)

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
        if size != nil, kind != nil { throw ValidationError("--size chooses the kind; give either --size or --kind.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            let cameras = try StreamedCameras.of(try await client.devices(), named: [device])
            let kind = try chosenKind(of: cameras.first?.condition.format)
            // Players of MJPEG show each picture's pixels as they are stored.
            let writer = try PreviewWriter(path: output)
            let frames = await client.frames(of: device, kind: kind)
            do {
                try await copy(frames, to: writer, console)
            } catch {
                await frames.close()
                throw error
            }
            await frames.close()
        }
        return .complete
    }

    /// Pictures in a row that may be damaged.
    private static let damagedLimit = 100

    private func copy(_ frames: FrameSubscription, to writer: PreviewWriter, _ console: Console) async throws {
        var (tally, damaged) = (FrameTally(), 0)
        while tally.count < count ?? .max {
            guard let frame = try await frames.next(within: timeout) else {
                throw CommandFailure(.failed, Self.silence(of: frames.topic, from: await frames.source, timeout))
            }
            // As a player does, which shows the next picture instead of a damaged one.
            guard try await writer.write(frame) else {
                damaged += 1
                guard damaged <= Self.damagedLimit else {
                    throw CommandFailure(
                        .failed,
                        "\(damaged) pictures of \(frames.topic) in a row cannot be decoded, and so not turned upright")
                }
                continue
            }
            damaged = 0
            tally.note(frame, latency: nil)
            console.progress("\(frames.topic): \(tally.count) pictures, \(tally.missed) not shown")
        }
        console.endProgress()
    }

    /// Why there are no pictures: their node's address is unreachable from here, or the node sends none.
    static func silence(
        of topic: FrameTopic, from source: (endpoint: String, isConnected: Bool)?, _ timeout: Duration
    ) -> String {
        let silence = "no picture of \(topic) for \(timeout.shortText)"
        guard let source, !source.isConnected else {
            return silence + (source.map { " from \($0.endpoint)" } ?? "")
                + "; `capctl devices` shows whether the camera runs"
        }
        return silence
            + ": \(source.endpoint), where node '\(topic.device.node)' publishes its pictures, cannot be reached "
            + "from this machine; check the network and firewall between them, or set `frames.listen` and `frames.advertise` "
            + "of the node"
    }

    private func chosenKind(of format: VideoFormat?) throws -> FrameKind {
        guard let size else { return kind ?? .preview }
        guard let format else {
            throw CommandFailure(
                .failed, "the format of \(device) is not known; `capctl devices` shows whether the camera runs")
        }
        return size.kind(of: format)
    }
}
