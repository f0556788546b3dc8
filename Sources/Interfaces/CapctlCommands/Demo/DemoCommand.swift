internal import ArgumentParser
internal import CaptureModel
internal import PosixSupport
internal import RigClient

/// `capctl demo`.
struct DemoCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a whole rig of virtual cameras on this machine and take pictures with it.",
        discussion: """
            Starts a coordinator and agents as processes on loopback, waits until every camera runs and every clock is \
            known, triggers, says where the pictures are, and leaves nothing running. Without camera options it takes all.
            """)

    @OptionGroup var output: FormatOptions
    @OptionGroup var shot: ShotOptions

    @Option(help: "Nodes, each an agent of its own.")
    var nodes = 4

    @Option(help: "Cameras on every node.")
    var cameras = 2

    @Option(help: "Shots, one after another.")
    var shots = 1

    @Option(help: "The folder for the pictures.")
    var library = "./caprig-demo"

    @Flag(help: "Keep the rig running after the shots until Ctrl-C or the end of standard input.")
    var keep = false

    @Flag(help: "Print the configuration of every agent and end.")
    var printConfig = false

    @Flag(help: "Give every agent a clock that is minutes off (needs root).")
    var timeNamespaces = false

    @Option(help: "The folder of capcoordd and capagentd; otherwise that of this program.")
    var binDir: String?

    @Option(help: "How much the daemons log.")
    var logLevel = "info"

    func validate() throws {
        guard (1...64).contains(nodes), (1...64).contains(cameras) else {
            throw ValidationError("--nodes and --cameras are 1 to 64.")
        }
        guard (0...100_000).contains(shots) else { throw ValidationError("--shots is 0 to 100000.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let plan = try DemoPlan(nodes: nodes, cameras: cameras)
        if printConfig {
            console.write(try plan.nodes.map(plan.yaml).joined(separator: "---\n"))
            return .complete
        }
        if timeNamespaces { try TimeShift.check() }
        let settings = DemoSettings(
            plan: plan, library: AbsolutePath.of(library), programs: try DaemonPrograms(folder: binDir),
            usesTimeNamespaces: timeNamespaces, logLevel: logLevel)
        let session = DemoSession(
            settings: settings, request: shot.request, timeout: shot.timeout, shots: shots, keeps: keep,
            format: output.format, console: console)
        return try await session.run()
    }
}
