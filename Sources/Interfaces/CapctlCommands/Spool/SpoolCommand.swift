internal import ArgumentParser
internal import CaptureModel
import Journal
internal import PosixSupport
internal import RigClient
internal import Spool
internal import SystemClock

/// `capctl spool`.
struct SpoolCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "spool", abstract: "Captures on the nodes that are not in the library.",
        subcommands: [SpoolListCommand.self, SpoolDiscardCommand.self], defaultSubcommand: SpoolListCommand.self)

    static let examples: [CommandExample] = [
        "capctl spool list"
    ]
}

/// The spools of a rig's nodes, through its coordinator.
struct CoordinatorSpools: SpoolSource {
    var client: RigClient
    /// Only these nodes; empty: all nodes of the rig.
    var nodes: [NodeName]

    func list() async throws -> SpoolContent {
        let all = nodes.isEmpty ? try await client.status().nodes.map(\.node) : nodes
        var content = SpoolContent()
        for node in all {
            do {
                for isDamaged in [false, true] {
                    content.captures += try await client.spool(of: node, damaged: isDamaged)
                }
            } catch {
                guard case .refused = error.code else { throw error }
                content.obstacles.append("\(error)")
            }
        }
        content.captures.sort { $0.key < $1.key }
        return content
    }

    func discard(_ captures: [SpooledCapture]) async throws -> [SpooledCapture] {
        var discarded: [SpooledCapture] = []
        for (node, ofNode) in Dictionary(grouping: captures, by: \.key.device.node).sorted(by: { $0.key < $1.key }) {
            for isDamaged in [false, true] {
                let keys = ofNode.filter { ($0.state == .damaged) == isDamaged }.map(\.key)
                discarded += try await client.discard(keys, of: node, damaged: isDamaged)
            }
        }
        return discarded
    }
}

/// The spool folder of a stopped agent, used under its lock. Opening it repairs it as a start of the agent does. Which
/// captures the library has is not known here.
struct SpoolFolder: SpoolSource {
    private let spool: Spool
    private let journal: EventJournal

    /// - Throws: If the folder is not a spool, an agent uses it, or it cannot be read.
    init(_ path: String) throws {
        let path = AbsolutePath.of(path)
        do {
            // Accepts only an existing spool: a mistyped folder must not become a spool.
            _ = try Folder(opening: path + "/captures")
            let disk = try ThreadExecutor(name: "spool")
            spool = try Spool(folder: path, limitBytes: .max, reserveFreeBytes: 0, executor: disk)
            journal = try EventJournal(folder: path + "/events", epoch: .random(), executor: disk)
        } catch {
            throw CommandFailure(.other, "the spool \(path) cannot be used: \(error)")
        }
    }

    /// The damage that was found at opening, and its repair.
    var findings: [String] { spool.startupFindings }

    func list() async throws -> SpoolContent {
        let whole = await spool.inventory().map { SpooledCapture($0) }
        let damaged = try await spool.damagedCaptures().map { capture in
            SpooledCapture(
                key: capture.key, files: capture.names.count, byteCount: capture.byteCount, state: .damaged)
        }
        return SpoolContent(captures: (whole + damaged).sorted { $0.key < $1.key })
    }

    func discard(_ captures: [SpooledCapture]) async throws -> [SpooledCapture] {
        var discarded: [SpooledCapture] = []
        for capture in captures {
            let wasThere =
                capture.state == .damaged
                ? try await spool.discardDamaged(capture.key) != nil : try await spool.discard(capture.key) != nil
            guard wasThere else { continue }
            await tell(capture)
            discarded.append(capture)
        }
        return discarded
    }

    /// The agent delivers the report when it runs again, so that the shot's manifest can have the outcome of the
    /// capture.
    private func tell(_ capture: SpooledCapture) async {
        let pair = SystemTimeSource().wallClockPair()
        let event = RigEvent(
            .spoolDiscarded, realtimeNanoseconds: pair.realtimeNanoseconds, local: pair.monotonic,
            device: capture.key.device, shot: capture.key.shot, details: capture.discardDetails)
        await journal.append(event)
    }
}

/// The spools of a command.
struct SpoolOptions: ParsableArguments {
    @OptionGroup var rig: RigOptions

    @Option(
        name: .customLong("node"), help: "Only the spool of this node; repeatable.",
        completion: .nodes, transform: { try NodeName($0) })
    var nodes: [NodeName] = []

    @Option(
        help: ArgumentHelp(
            "Work in this spool folder instead of asking a coordinator; its agent must be stopped.",
            valueName: "folder"))
    var spool: String?

    func validate() throws {
        guard spool == nil || nodes.isEmpty else {
            throw ValidationError("--spool is the spool of one node; omit --node.")
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

/// The content of spools.
struct SpoolContent: Equatable {
    var captures: [SpooledCapture] = []
    /// Why a node's spool is not included: a sentence for each such node.
    var obstacles: [String] = []
}
