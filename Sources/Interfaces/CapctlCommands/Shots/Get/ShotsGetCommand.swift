internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import ShotDocuments

/// `capctl shots get`.
struct ShotsGetCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "get",
        abstract: "Fetch the files of a shot or take from the coordinator into a folder of this machine.",
        discussion: """
            The folder gets the manifest, shot.json or take.json, and for each camera a folder with its files, as in the \
            library. Every file is compared with the manifest. While a file is fetched, its name is NAME.part. If the \
            command is repeated, it continues where it ended and fetches only missing files. Exit status: 0 if all \
            expected files of the shot are present, 3 if some are, 4 if none is, 6 if the coordinator stops answering.
            """)

    static let examples: [CommandExample] = [
        .after("capctl trigger --all", line: "capctl shots get last --to pictures"),
        .after("capctl trigger --all", line: "capctl shots get last --to stills --file photo.jpg"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The folder; it is created if it does not exist.")
    var to: String

    @Option(
        help: "Only files of this name, such as photo.jpg, or node1.cam1/photo.jpg as in the manifest. Repeatable.")
    var file: [String] = []

    @Option(help: "Only files of a matching camera: N/D, with * and ?, or a device's name on any node. Repeatable.")
    var device: [String] = []

    @Argument(
        help: "The shot or take: its id, the beginning or the last six characters of it, or last.", completion: .shots,
        transform: ShotReference.argument)
    var shot: ShotReference

    func validate() throws {
        for text in device where DevicePattern(text) == nil {
            throw ValidationError("'\(text)' is not a device pattern; write node1/cam1, 'node1/*', '*/top?' or cam1")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            let manifest = try await client.manifest(try await client.id(of: shot, last: .both))
            let download = try ShotDownload(of: manifest, to: AbsolutePath.of(to))
            return try await download.run(try wanted(of: manifest.shot), from: client, console)
        }
        console.endProgress()
        if let lost = report.lost { console.note("capctl: \(lost)\n") }
        try output.show(report, on: console)
        return report.status
    }

    private func wanted(of shot: Shot) throws -> [ShotDownload.Item] {
        let patterns = device.compactMap(DevicePattern.init)
        let items = ShotDownload.items(of: shot)
        let wanted = items.filter { item in
            (patterns.isEmpty || patterns.contains { $0.matches(item.device) })
                && (file.isEmpty || file.contains { $0 == item.name || $0 == item.path })
        }
        guard wanted.isEmpty, !items.isEmpty else { return wanted }
        let names = Set(items.map(\.name)).sorted().joined(separator: ", ")
        throw CommandFailure(
            .nothingSelected,
            "shot \(shot.id) has no such file; its cameras have: \(names); `capctl shots show` lists them")
    }
}
