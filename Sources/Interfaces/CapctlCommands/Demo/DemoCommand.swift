internal import ArgumentParser
internal import CaptureModel
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import RigSecurity
internal import SystemClock

/// `capctl demo`.
struct DemoCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "demo", abstract: "Run a rig of virtual cameras on this machine and take pictures with it.",
        discussion: """
            Starts a coordinator and agents as processes on loopback, waits until every camera and microphone runs and \
            every clock is synchronized, triggers, prints where the pictures are, and ends all processes. Without \
            camera options it selects all cameras.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl demo", needs: "a rig of its own"),
        .shown("capctl demo --nodes 2 --cameras 3 --shots 5", needs: "a rig of its own"),
        .shown("capctl demo --keep --web", needs: "Ctrl-C to end"),
    ]

    @OptionGroup var output: FormatOptions
    @OptionGroup var shot: ShotOptions

    @Option(help: "Number of nodes; each is a separate agent.")
    var nodes = 4

    @Option(help: "Number of cameras on each node.")
    var cameras = 2

    @Option(help: "Number of microphones on each node, 0 or 1; the clips of its cameras have its sound.")
    var microphones = 1

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
        guard (0...1).contains(microphones) else { throw ValidationError("--microphones must be 0 or 1.") }
        guard keep || !web else { throw ValidationError("--web needs --keep, since its page ends with the rig.") }
        guard shot.onExcess != .retry else {
            throw ValidationError("--on-excess retry is of capctl trigger; the demo takes as many shots as it is told.")
        }
        guard (0...100_000).contains(shots) else { throw ValidationError("--shots must be 0 to 100000.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let plan = try DemoPlan(nodes: nodes, cameras: cameras, hasMicrophones: microphones > 0)
        if printConfig {
            console.write(try plan.nodes.map(plan.yaml).joined(separator: "---\n"))
            return .complete
        }
        if timeNamespaces { try TimeShift.check() }
        let settings = DemoSettings(
            plan: plan, library: AbsolutePath.of(library),
            programs: try DaemonPrograms(folder: binDir, hasGateway: web), usesTimeNamespaces: timeNamespaces,
            logLevel: logLevel)
        let time = SystemTimeSource()
        let session = DemoSession(
            settings: settings, request: shot.request, timeout: shot.timeout ?? DemoSession.shotLimit, shots: shots,
            keeps: keep, hasPage: web, output: output, console: console, time: time,
            progress: DemoProgress(console: console, time: time))
        return try await session.run()
    }
}

/// One run of the demo, from the first process to the last.
struct DemoSession: Sendable {
    var settings: DemoSettings
    var request: ShotRequest
    var timeout: Duration
    var shots: Int
    var keeps: Bool
    var hasPage: Bool
    var output: FormatOptions
    var console: Console
    var time: any TimeSource
    var progress: DemoProgress

    /// How long a shot's outcomes may take, unless an option says it: more than a coordinator waits by default, since
    /// all nodes share this machine.
    static let shotLimit = Duration.seconds(60)

    /// Runs the demo. No process is left when it returns or throws.
    func run() async throws -> CommandStatus {
        let signals = StopSignals()
        defer { withExtendedLifetime(signals) {} }
        let scratch = try ScratchFolder(prefix: "caprig-demo")
        let rig = DemoRig(settings: settings, scratch: scratch, time: time, progress: progress)
        async let _ = progress.run()
        console.hint("capctl: starting \(settings.plan.summary)\n")
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
        let start = time.now()
        let endpoints = try await rig.start()
        return try await rig.target.withClient { client in
            try await awaitReadiness(rig, client, since: start)
            let documents = try await trigger(client)
            let report = DemoReport(settings: settings, endpoints: endpoints, documents: documents)
            progress.end()
            try output.show(report, on: console)
            if hasPage { try await openPage(rig, client) }
            if keeps { try await keep(rig, endpoints) }
            return report.status
        }
    }

    private func awaitReadiness(_ rig: DemoRig, _ client: RigClient, since start: LocalTime) async throws {
        let needsHistory = shots > 0 && request.settings.livePhoto != nil
        let lack = try await rig.awaitReadiness(client, needsHistory: needsHistory)
        progress.end()
        let took = (time.now() - start).shortText
        if let lack {
            console.note("capctl: the clips will lack their beginning: after \(took), \(lack)\n")
        } else {
            console.hint("capctl: ready after \(took)\n")
        }
    }

    private func trigger(_ client: RigClient) async throws -> [LocatedShot] {
        var documents: [LocatedShot] = []
        for number in 1..<(shots + 1) {
            let trigger = TriggerRequest(shot: .fresh(at: time), request: request, timeout: timeout)
            documents.append(try await take(trigger, shots > 1 ? "shot \(number) of \(shots)" : nil, by: client))
            try Task.checkCancellation()
        }
        return documents
    }

    /// - Parameter number: Which shot it is; nil if there is only one.
    private func take(_ trigger: TriggerRequest, _ number: String?, by client: RigClient) async throws -> LocatedShot {
        let topic = "taking pictures"
        progress.show(topic, number ?? "")
        for try await update in client.trigger(trigger) {
            switch update {
            case .progress(let counts):
                progress.show(topic, [number, ShotWatch.line(counts)].compactMap(\.self).joined(separator: ": "))
            case .repeated: progress.show("no answer, asking again", number ?? "")
            case .answered(let document): return document
            }
        }
        throw CancellationError()
    }

    /// Starts a gateway, and tells how to sign in.
    private func openPage(_ rig: DemoRig, _ client: RigClient) async throws {
        let address = try await rig.startGateway(client)
        let (_, secret) = try await client.issueSession(
            .link, label: "demo", permissions: try await client.identity().permissions, validity: .seconds(86_400))
        progress.end()
        console.note(
            "capctl: the page is at \(address)\n        sign in within ten minutes: \(address)login.html#\(secret.text)\n"
        )
    }

    /// Waits for the end of standard input; a signal also ends the wait.
    /// - Throws: ``CommandFailure`` if a daemon ends before that.
    private func keep(_ rig: DemoRig, _ endpoints: CoordinatorAnnouncement) async throws {
        console.note(
            "capctl: the rig runs until Ctrl-C or the end of standard input; use it with --admin \(rig.adminFolder)\n"
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
        progress.show("ending all processes")
        let killed = await Task { await rig.stop() }.value
        progress.end()
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
