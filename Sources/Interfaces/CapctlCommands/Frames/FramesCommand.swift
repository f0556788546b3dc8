internal import ArgumentParser

/// `capctl frames`.
struct FramesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "frames", abstract: "The live pictures of the rig: what there is, how fast, how many bytes.",
        subcommands: [FramesInfoCommand.self, FramesRateCommand.self, FramesBandwidthCommand.self],
        defaultSubcommand: FramesInfoCommand.self)
}

/// `capctl frames hz`.
struct FramesRateCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "hz", abstract: "Measure frames a second, losses and latency.",
        discussion:
            "Latency runs from a frame's dequeue on its node to its arrival here; its bound is that of the clocks.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let streams = try await rig.withClient { try await frames.measure($0) }
        console.write(try FrameRateReport(streams: streams).rendered(as: output.format))
        return FrameOptions.status(of: streams)
    }
}

/// `capctl frames bw`.
struct FramesBandwidthCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "bw", abstract: "Measure bytes a second, and the size of frames.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let streams = try await rig.withClient { try await frames.measure($0) }
        console.write(try FrameBandwidthReport(streams: streams).rendered(as: output.format))
        return FrameOptions.status(of: streams)
    }
}

extension FrameOptions {
    /// A stream without a frame is a failure, one among others a part of it.
    static func status(of streams: [MeasuredStream]) -> CommandStatus {
        let silent = streams.count { $0.tally.count == 0 }
        return silent == 0 ? .complete : silent == streams.count ? .failed : .partial
    }
}
