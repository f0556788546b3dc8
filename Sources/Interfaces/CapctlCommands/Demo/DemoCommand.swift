internal import ArgumentParser
internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import RigSecurity
internal import SystemClock

/// `capctl demo`.
struct DemoCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a rig of virtual cameras on this machine and take pictures with it.",
        discussion: """
            Starts a coordinator and agents as processes on loopback, waits until every camera runs and every clock is \
            synchronized, triggers, prints where the pictures are, and ends all processes. Without camera options it \
            selects all cameras.
            """)

    @OptionGroup var output: FormatOptions
    @OptionGroup var shot: ShotOptions

    @Option(help: "Number of nodes; each is a separate agent.")
    var nodes = 4

    @Option(help: "Number of cameras on each node.")
    var cameras = 2

    @Option(help: "Number of shots, one after another.")
    var shots = 1

    @Option(help: "The folder for the pictures.")
    var library = "./caprig-demo"

    @Flag(help: "Keep the rig running after the shots until Ctrl-C or the end of standard input.")
    var keep = false

    @Flag(help: "With --keep: run a gateway too, and print a link that signs a browser in to its page.")
    var web = false

    @Flag(help: "Print the configuration of every agent and end.")
    var printConfig = false

    @Flag(help: "Give every agent a clock that is off by minutes (needs root).")
    var timeNamespaces = false

    @Option(help: "The folder of capcoordd and capagentd (default: the folder of this program).")
    var binDir: String?

    @Option(help: "The log level of the daemons.")
    var logLevel = "info"

    func validate() throws {
        guard (1...64).contains(nodes), (1...64).contains(cameras) else {
            throw ValidationError("--nodes and --cameras must be 1 to 64.")
        }
        guard keep || !web else { throw ValidationError("--web needs --keep, since its page ends with the rig.") }
        guard (0...100_000).contains(shots) else { throw ValidationError("--shots must be 0 to 100000.") }
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
            settings: settings, request: shot.request, timeout: shot.timeout, shots: shots, keeps: keep, hasPage: web,
            format: output.format, console: console)
        return try await session.run()
    }
}

/// One run of the demo, from the first process to the last.
struct DemoSession: Sendable {
    var settings: DemoSettings
    var request: ShotRequest
    var timeout: Duration?
    var shots: Int
    var keeps: Bool
    var hasPage: Bool
    var format: OutputFormat
    var console: Console

    /// Runs the demo. No process is left when it returns or throws.
    func run() async throws -> CommandStatus {
        let signals = StopSignals()
        defer { withExtendedLifetime(signals) {} }
        let scratch = try ScratchFolder(prefix: "caprig-demo")
        let rig = DemoRig(settings: settings, scratch: scratch, time: SystemTimeSource())
        console.note("capctl: starting \(settings.plan.summary)\n")
        do {
            // After the pictures are taken, a signal is the normal end of `--keep`.
            let status = try await StopSignals.until(
                signals.arrivals, "interrupted; all processes of the demo have ended"
            ) { try await use(rig) }
            await end(rig, keepingScratch: status != .complete)
            return status
        } catch {
            await end(rig, keepingScratch: !(error is CommandFailure) || CommandStatus(of: error) != .interrupted)
            throw error
        }
    }

    private func use(_ rig: DemoRig) async throws -> CommandStatus {
        let endpoints = try await rig.start()
        return try await rig.target.withClient { client in
            console.progress("waiting for cameras and clocks")
            try await rig.awaitReadiness(client)
            if shots > 0, request.settings.livePhoto != nil {
                console.progress("waiting until the frame rings are full")
                try await rig.awaitRings(client)
            }
            let documents = try await trigger(client)
            let report = DemoReport(settings: settings, endpoints: endpoints, documents: documents)
            console.write(try report.rendered(as: format))
            if hasPage { try await openPage(rig, client) }
            if keeps { try await keep(rig, endpoints) }
            return report.status
        }
    }

    private func trigger(_ client: RigClient) async throws -> [LocatedShot] {
        var documents: [LocatedShot] = []
        for number in 1..<(shots + 1) {
            let watch = ShotWatch(console: console, prefix: shots > 1 ? "shot \(number) of \(shots): " : "")
            let trigger = TriggerRequest(shot: .fresh(at: SystemTimeSource()), request: request, timeout: timeout)
            documents.append(try await watch.run(trigger, by: client))
            try Task.checkCancellation()
        }
        return documents
    }

    /// Starts a gateway, and tells how to sign in.
    private func openPage(_ rig: DemoRig, _ client: RigClient) async throws {
        let address = try await rig.startGateway(client)
        let (_, secret) = try await client.issueSession(
            .link, label: "demo", permissions: try await client.identity().permissions, validity: .seconds(86_400))
        console.note(
            "capctl: the page is at \(address)\n        sign in within ten minutes: \(address)login.html#\(secret.text)\n"
        )
    }

    /// Waits for the end of standard input; a signal also ends the wait.
    /// - Throws: ``CommandFailure`` if a daemon ends meanwhile.
    private func keep(_ rig: DemoRig, _ endpoints: CoordinatorAnnouncement) async throws {
        console.note(
            "capctl: the rig runs until Ctrl-C; use it with --admin \(rig.adminFolder)\n"
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in StandardInput.end {} }
            group.addTask { try await rig.watch() }
            defer { group.cancelAll() }
            do {
                try await group.next()
            } catch is CancellationError {}
        }
    }

    /// Unstructured, since it must finish even if the task is cancelled.
    private func end(_ rig: DemoRig, keepingScratch: Bool) async {
        console.endProgress()
        let killed = await Task { await rig.stop() }.value
        for name in killed {
            console.note("capctl: \(name) did not end within \(DemoRig.grace.shortText) and was killed\n")
        }
        if keepingScratch || !killed.isEmpty {
            console.note("capctl: logs, configurations and spools are in \(rig.scratch.path)\n")
        } else {
            rig.scratch.remove()
        }
    }
}
