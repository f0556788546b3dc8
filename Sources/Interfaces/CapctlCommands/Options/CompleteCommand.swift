internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl complete KIND`: prints names, a line each, for the completion scripts of shells.
struct CompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Print names for a shell that completes them.",
        discussion: "Nothing is printed if no coordinator answers within three seconds.", shouldDisplay: false)

    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case devices, nodes, shots, takes
    }

    /// The most ids of shots or takes.
    private static let limit = 50

    @Argument(help: "What to print.") var kind: Kind
    @OptionGroup(title: "Which rig") var rig: RigOptions

    func run() async {
        // A shell that completes a word shows no errors.
        for name in (try? await rig.withClient(names)) ?? [] { print(name) }
    }

    private func names(of client: RigClient) async throws -> [String] {
        switch kind {
        case .devices: try await client.devices().map(\.device.id.description)
        case .nodes: Set(try await client.devices().map(\.device.id.node.rawValue)).sorted()
        case .shots: ["last"] + (try await client.shots(limit: Self.limit).shots.map(\.id.description))
        case .takes:
            ["last"]
                + (try await client.shots(ShotQuery(isOfTakes: true), limit: Self.limit).shots.map(\.id.description))
        }
    }
}
