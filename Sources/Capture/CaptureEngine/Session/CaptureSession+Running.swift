import CameraKit
import CaptureModel
import FaultPoints
import PosixSupport

/// Serving a session: the tasks in which its camera is opened and its outputs perform their work.
extension CaptureSession {
    /// Serves the session until the calling task is cancelled; then closes the camera and gives up what is pending.
    ///
    /// With the policy `standby: always` the camera is opened at once, else when something needs it. Call it once.
    public func run() async {
        await core.begin()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.serveHardware() }
            group.addTask { await self.serveFormatSwitches() }
            group.addTask { await self.serveOutputs() }
        }
        await core.end()
    }

    /// Serves the session for as long as `body` takes; when this returns, the camera is closed.
    public nonisolated func serving<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            await served()
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Returns when ``run()`` executes, or has; at once when the calling task is cancelled.
    public func served() async {
        while core.service == .notBegun, !Task.isCancelled {
            await withTaskCancellationHandler {
                await core.wait { core.service != .notBegun || Task.isCancelled }
            } onCancel: {
                // Unstructured, because a handler cannot wait; whoever waits looks again.
                Task { await self.wakeWaiters() }
            }
        }
    }

    private func wakeWaiters() { core.wakeWaiters() }

    /// Opens the camera whenever the machine asks for it, until the task is cancelled.
    private func serveHardware() async {
        while !Task.isCancelled {
            switch core.machine.hardware {
            case .opening: await streamOnce()
            // The order to open was taken back before it was carried out.
            case .closing: await core.handle(.closed)
            case .closed, .open: await core.idle()
            }
            // Where no frame comes, nothing else lets go of what was armed before.
            await core.updateOutputs()
        }
    }

    private func streamOnce() async {
        await SessionFault.opening.reached()
        guard let stream = await core.open() else { return }
        if core.machine.hardware == .open { await follow(stream) }
        await core.close()
    }

    /// Takes frames until the stream ends, the watchdog bites, the session is stopped or the task is cancelled.
    private func follow(_ stream: any CameraStream) async {
        await withTaskGroup(of: Void.self) { group in
            // Frames come from a thread of their own: without the preference each would wake a third one on its way.
            group.addTask(executorPreference: ThreadTaskExecutor(self.executor)) { await self.consume(stream) }
            group.addTask { await self.watch() }
            group.addTask { await self.watchScene() }
            group.addTask { await self.awaitClosing() }
            await group.next()
            group.cancelAll()
        }
    }

    private func consume(_ stream: any CameraStream) async { await core.consume(stream) }
    private func watch() async { await core.watch() }
    private func watchScene() async { await scene.watchStream() }
    private func awaitClosing() async { await core.awaitClosing() }
    private func serveFormatSwitches() async { await captures.serveFormatSwitches() }

    /// Has outputs perform their work, each piece in a task of its own, until the task is cancelled.
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
    /// The session is served from here on.
    fileprivate func begin() async {
        service = .running
        wakeWaiters()
        if policy.standby == .always { await handle(.start(.standby)) } else { await tell(changes()) }
    }

    /// Nobody serves the session any more: closes the camera, and has the outputs give up what is pending.
    fileprivate func end() async {
        await handle(.stop)
        // An order to open that came last is not carried out any more, so there is nothing to close.
        if machine.hardware == .closing { await handle(.closed) }
        service = .ended
        for output in outputs { await output.sessionEnded() }
        wakeWaiters()
    }
}
