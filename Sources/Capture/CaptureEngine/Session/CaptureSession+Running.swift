import CameraKit
import CaptureModel
import FaultPoints
import PosixSupport

/// Serving a session: the tasks that open its camera and perform its outputs' work.
extension CaptureSession {
    /// Serves the session until the calling task is cancelled; then closes the camera and gives up what is pending.
    ///
    /// With the policy `standby: always` the camera is opened at once, otherwise when something needs it. Call it once.
    public func run() async {
        await core.begin()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.serveHardware() }
            group.addTask { await self.serveFormatSwitches() }
            group.addTask { await self.serveAlignment() }
            group.addTask { await self.serveOutputs() }
        }
        await core.end()
    }

    /// Serves the session while `body` runs. When this returns, the camera is closed.
    public nonisolated func serving<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            await served()
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Returns when ``run()`` executes or has executed; at once if the calling task is cancelled.
    public func served() async {
        while core.service == .notBegun, !Task.isCancelled {
            await withTaskCancellationHandler {
                await core.wait { core.service != .notBegun || Task.isCancelled }
            } onCancel: {
                // Unstructured, because a handler cannot wait. The waiting tasks check again.
                Task { await self.wakeWaiters() }
            }
        }
    }

    private func wakeWaiters() { core.wakeWaiters() }

    /// Opens the camera whenever the machine requests it, until the task is cancelled.
    private func serveHardware() async {
        while !Task.isCancelled {
            switch core.machine.hardware {
            case .opening: await streamOnce()
            // The request to open was withdrawn before it was carried out.
            case .closing: await core.handle(.closed)
            case .closed, .open: await core.idle()
            }
            // If no frame arrives, nothing else releases what was armed before.
            await core.updateOutputs()
        }
    }

    private func streamOnce() async {
        await SessionFault.opening.reached()
        guard let stream = await core.open() else { return }
        if core.machine.hardware == .open {
            // Unstructured, because a device may not answer, and frames do not wait for it. One at a time, since others wait their turn.
            Task { await self.learnLight() }
            await follow(stream)
        }
        await core.close()
    }

    /// Processes frames until the stream ends, the watchdog fires, the session is stopped or the task is cancelled.
    private func follow(_ stream: any CameraStream) async {
        await withTaskGroup(of: Void.self) { group in
            // Frames arrive from a separate thread. Without the preference, each would wake a third one on its way.
            group.addTask(executorPreference: ThreadTaskExecutor(self.executor)) { await self.consume(stream) }
            group.addTask { await self.watch() }
            group.addTask { await self.watchScene() }
            group.addTask { await self.awaitClosing() }
            await group.next()
            group.cancelAll()
        }
    }

    private func learnLight() async { await captures.controls.learnLight() }
    private func consume(_ stream: any CameraStream) async { await core.consume(stream) }
    private func watch() async { await core.watch() }
    private func watchScene() async { await scene.watchStream() }
    private func awaitClosing() async { await core.awaitClosing() }
    private func serveFormatSwitches() async { await captures.serveFormatSwitches() }
    private func serveAlignment() async { await alignment.serve() }

    /// Lets outputs perform their work, each item in a separate task, until the task is cancelled.
    private func serveOutputs() async {
        let items = core.work.items
        await withDiscardingTaskGroup { group in
            for await item in items { group.addTask { await self.perform(item) } }
            group.cancelAll()
        }
    }

    private func perform(_ item: OutputWork.Item) async {
        await core.perform(item) { await self.tell($0) }
    }

    private func tell(_ event: SessionEvent) async { await core.tell([event]) }
}

extension SessionCore {
    /// Notes that the session is served from here on.
    fileprivate func begin() async {
        service = .running
        wakeWaiters()
        if policy.standby == .always { await handle(.start(.standby)) } else { await tell(changes()) }
    }

    /// Notes that the session is no longer served: closes the camera, and lets the outputs give up what is pending.
    fileprivate func end() async {
        noteCancellation()
        await handle(.stop)
        // A late request to open is not carried out, so there is nothing to close.
        if machine.hardware == .closing { await handle(.closed) }
        service = .ended
        for output in outputs { await output.sessionEnded() }
        wakeWaiters()
    }
}
