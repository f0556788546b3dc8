internal import CaptureModel
internal import CaptureSystem
internal import PosixSupport
internal import RigClient

/// One run of the demo, from the first process to the last.
struct DemoSession: Sendable {
    var settings: DemoSettings
    var request: ShotRequest
    var timeout: Duration?
    var shots: Int
    var keeps: Bool
    var format: OutputFormat
    var console: Console

    /// Runs everything; whatever happens, no process is left when it returns or throws.
    func run() async throws -> CommandStatus {
        let signals = StopSignals()
        defer { withExtendedLifetime(signals) {} }
        let scratch = try ScratchFolder(prefix: "caprig-demo")
        let rig = DemoRig(settings: settings, scratch: scratch, time: SystemTimeSource())
        console.note("capctl: starting \(settings.plan.summary)\n")
        do {
            // After the pictures are taken a signal is the ordinary end of `--keep`.
            let status = try await StopSignals.until(
                signals.arrivals, "interrupted; every process of the demo has been ended"
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
        return try await RigOptions.withClient(of: endpoints.client) { client in
            console.progress("waiting for cameras and clocks")
            try await rig.awaitReadiness(client)
            if shots > 0, request.settings.livePhoto != nil {
                console.progress("waiting for the frames of before")
                try await rig.awaitRings(client)
            }
            let documents = try await takeShots(client)
            let report = DemoReport(settings: settings, endpoints: endpoints, documents: documents)
            console.write(try report.rendered(as: format))
            if keeps { try await keep(rig, endpoints) }
            return report.status
        }
    }

    private func takeShots(_ client: RigClient) async throws -> [LocatedShot] {
        var documents: [LocatedShot] = []
        for number in 1..<(shots + 1) {
            let watch = ShotWatch(console: console, prefix: shots > 1 ? "shot \(number) of \(shots): " : "")
            let trigger = TriggerRequest(shot: .fresh(at: SystemTimeSource()), request: request, timeout: timeout)
            documents.append(try await watch.take(trigger, by: client))
            try Task.checkCancellation()
        }
        return documents
    }

    /// Waits for the end of standard input; a signal ends the wait too.
    /// - Throws: ``CommandFailure`` when a daemon ends meanwhile.
    private func keep(_ rig: DemoRig, _ endpoints: CoordinatorAnnouncement) async throws {
        console.note(
            "capctl: the rig goes on until Ctrl-C; use it with --coordinator \(endpoints.client), feed \(endpoints.feed)\n"
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

    /// Unstructured, because it must be finished even where the task is cancelled.
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
