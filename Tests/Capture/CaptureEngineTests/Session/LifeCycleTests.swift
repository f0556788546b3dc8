import CaptureEngine
import CaptureModel
import Spool
import Testing
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct LifeCycleTests {
    private func names(_ stage: Stage, _ order: CaptureOrder) -> [String] {
        stage.recorder.steps(of: order.key).map(\.name)
    }

    @Test("Emits the steps of a capture once, in order, with the report's values")
    func inOrder() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now - .milliseconds(60))
            let resolved = try await stage.session.arm(order).get()
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(
                stage.recorder.steps(of: order.key) == [
                    .willBeginCapture(resolved), .willCapturePhoto, .didCapturePhoto(report.timing),
                    .didFinishProcessingPhoto(report.files[0]), .didFinishCapture(nil),
                ])
            #expect(report.files.map(\.kind) == [.photo])
            #expect(Int64(try await stage.still(report).count) == report.files[0].byteCount)
        }
    }

    @Test("Frees memory and disk of a shot that is never fired")
    func expiry() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now, pinnedFor: .milliseconds(300))
            _ = try await stage.session.arm(order).get()
            await stage.pass(.milliseconds(280))
            #expect(names(stage, order) == ["willBegin"])
            await stage.pass(.milliseconds(100))
            #expect(names(stage, order) == ["willBegin", "didFinish(expired)"])
            #expect(await stage.spool.usage().reservedBytes == 0)
            #expect(await stage.session.fire(order.key).problem?.code == .expired)
            #expect(names(stage, order).count == 2)
        }
    }

    @Test("Frees the disk of a shot whose camera went away after arming")
    func expiryWithoutCamera() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now, pinnedFor: .milliseconds(300))
            _ = try await stage.session.arm(order).get()
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            await stage.pass(.seconds(2))
            #expect(names(stage, order) == ["willBegin", "didFinish(expired)"])
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Uses no resources for an absent camera")
    func absentCost() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            #expect(await stage.session.condition.session?.cost != nil)
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            #expect(await stage.session.condition.session?.cost == nil)
        }
    }

    @Test("Ends a cancelled shot once and without a picture")
    func cancel() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now)
            _ = try await stage.session.arm(order).get()
            await stage.session.cancel(order.key)
            await stage.session.cancel(order.key)
            #expect(names(stage, order) == ["willBegin", "didFinish(cancelled)"])
            #expect(await stage.spool.usage().reservedBytes == 0)
            #expect(await stage.session.fire(order.key).problem?.code == .expired)
            #expect(names(stage, order).count == 2)
        }
    }

    @Test("Keeps a picture that was fired before its cancellation")
    func cancelAfterFire() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(100))
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await stage.recorder.wait(for: order.key) { $0 == .willCapturePhoto }
            await stage.session.cancel(order.key)
            #expect(await stage.session.fire(order.key).problem?.code == .expired, "the second fire has no frames")
            await stage.pass(.milliseconds(240))
            #expect(await firing.value.report != nil)
            #expect(names(stage, order).filter { $0.hasPrefix("didFinish") } == ["didFinishProcessing", "didFinish"])
        }
    }

    @Test("Ends every capture when the node shuts down")
    func shutdown() async throws {
        let stage = try Stage()
        let armed = stage.order(stage.now + .seconds(20), shot: 1)
        let fired = stage.order(stage.now + .seconds(20), shot: 2)
        try await stage.run {
            await stage.start()
            _ = try await stage.session.arm(armed).get()
            _ = try await stage.session.arm(fired).get()
            let firing = Task { await stage.session.fire(fired.key) }
            await stage.recorder.wait(for: fired.key) { $0 == .willCapturePhoto }
            firing.cancel()
            #expect(await firing.value.problem?.code == .cancelled)
        }
        #expect(names(stage, armed) == ["willBegin", "didFinish(cancelled)"])
        #expect(names(stage, fired) == ["willBegin", "willCapture", "didFinish(cancelled)"])
        #expect(await stage.spool.usage().reservedBytes == 0)
    }

    @Test("Reports a capture whose last disk step fails")
    func storeFails() async throws {
        let stage = try Stage(isDiskBroken: true)
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now - .milliseconds(60))
            _ = try await stage.session.arm(order).get()
            #expect(await stage.session.fire(order.key).problem?.code == .inputOutput)
            #expect(
                names(stage, order) == ["willBegin", "willCapture", "didCapture", "didFinish(inputOutput)"])
            #expect(await stage.spool.usage().reservedBytes == 0)
            #expect(await stage.spool.inventory().isEmpty)
        }
    }
}
