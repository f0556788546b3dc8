internal import ArgumentParser
internal import CaptureModel

/// Which spools a command is about.
struct SpoolOptions: ParsableArguments {
    @OptionGroup var rig: RigOptions

    @Option(
        name: .customLong("node"), help: "Only the spool of this node; may be repeated.",
        transform: { try NodeName($0) })
    var nodes: [NodeName] = []

    @Option(
        help: ArgumentHelp(
            "Work in this spool folder instead of asking a coordinator; its agent must be stopped.",
            valueName: "folder"))
    var spool: String?

    func validate() throws {
        guard spool == nil || nodes.isEmpty else {
            throw ValidationError("--spool is one node's already; leave --node out.")
        }
    }

    /// Calls `body` with the source that the options name.
    func withSource<Result>(_ console: Console, _ body: (any SpoolSource) async throws -> Result) async throws -> Result
    {
        guard let spool else {
            return try await rig.withClient { try await body(CoordinatorSpools(client: $0, nodes: nodes)) }
        }
        let folder = try SpoolFolder(spool)
        for finding in folder.findings { console.note("capctl: \(finding)\n") }
        return try await body(folder)
    }
}
