import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

@Suite(.timeLimit(.minutes(1))) struct PhotoOutputTests {
    @Test("A photo taken by the Swift API has no life cycle, or another than the rig is told")
    func lifeCycle() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let output = PhotoOutput(session: stage.session)
            let events = try await output.capturePhoto()
            await stage.advance(frames: 4)
            var steps: [LifeCycleStep] = []
            for await event in events {
                #expect(event.id == events.id)
                steps.append(event.step)
            }
            #expect(
                steps.map(\.name) == ["willBegin", "willCapture", "didCapture", "didFinishProcessing", "didFinish"])
            #expect(steps == stage.recorder.steps(of: events.id))
            #expect(await stage.spool.report(of: events.id) != nil)
        }
    }

    @Test("A photo that cannot be taken begins a life cycle that never ends")
    func refused() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let output = PhotoOutput(session: stage.session)
            do throws(CaptureProblem) {
                _ = try await output.capturePhoto(at: stage.clock.now() - .seconds(60))
                Issue.record("a photo of a minute ago was begun")
            } catch {
                #expect(error.code == .beforeRing)
            }
        }
    }

    @Test("Two photos taken at once have one id, or the events of one get into the other's")
    func ids() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let output = PhotoOutput(session: stage.session)
            let events = [try await output.capturePhoto(), try await output.capturePhoto()]
            await stage.advance(frames: 4)
            #expect(events[0].id != events[1].id)
            for capture in events {
                var count = 0
                for await event in capture {
                    #expect(event.id == capture.id)
                    count += 1
                }
                #expect(count == 5)
            }
        }
    }

    @Test("An order under way is taken on a second time, and its events end with nobody")
    func conflict() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(40))
            let events = try await stage.session.capturePhoto(order)
            do throws(CaptureProblem) {
                _ = try await stage.session.capturePhoto(order)
                Issue.record("it was taken on twice")
            } catch {
                #expect(error.code == .conflict)
            }
            await stage.advance(frames: 6)
            var last: LifeCycleStep?
            for await event in events { last = event.step }
            #expect(last == .didFinishCapture(nil))
        }
    }

    @Test("A photo with flash is refused since nobody has said when the camera can be ready for it")
    func prepared() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let output = PhotoOutput(session: stage.session)
            var steps = try await output.capturePhoto(with: PhotoSettings(flash: .on)).makeAsyncIterator()
            guard case .willBeginCapture(let resolved) = await steps.next()?.step else {
                Issue.record("it does not begin with what it will be")
                return
            }
            #expect(resolved.isFlashUsed == true)
        }
    }
}
