import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct PhotoOutputTests {
    @Test("Emits the same life cycle for a photo of the Swift API as for the rig")
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

    @Test("Ends the life cycle of a photo that cannot be taken")
    func refused() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let output = PhotoOutput(session: stage.session)
            do throws(RigProblem) {
                _ = try await output.capturePhoto(at: stage.clock.now() - .seconds(60))
                Issue.record("a photo of a minute ago was begun")
            } catch {
                #expect(error.code == .beforeRing)
            }
        }
    }

    @Test(
        "Says before a photo what taking it would say, and changes nothing",
        arguments: [
            PhotoSettings(), PhotoSettings(quality: 3), PhotoSettings(flash: .on), PhotoSettings(raw: .only),
            PhotoSettings(raw: .withPhotoWhereEnabled), PhotoSettings(livePhoto: .required),
            PhotoSettings(livePhoto: .whereEnabled), PhotoSettings(codec: .heic),
            PhotoSettings(maxPhotoDimensions: PixelSize(width: 320, height: 240)),
            PhotoSettings(bracket: [BracketStep(exposureNanoseconds: 1_000_000_000)]),
            PhotoSettings(bracket: [BracketStep(gain: 3)]), PhotoSettings(movie: MovieSettings()),
        ])
    func objection(settings: PhotoSettings) async throws {
        let stage = try Stage()
        let output = PhotoOutput(session: stage.session)
        #expect(await output.objection(to: settings)?.code == .notRunning)
        try await stage.run {
            await stage.start()
            let before = try await stage.camera.capabilities().controls
            let objection = await output.objection(to: settings)
            #expect(await output.canCapturePhoto(with: settings) == (objection == nil))
            #expect(try await stage.camera.capabilities().controls == before)
            #expect(await stage.session.capturesUnderWay.isEmpty)
            #expect(stage.recorder.events.allSatisfy { if case .lifeCycle = $0 { false } else { true } })
            let armed = await stage.session.arm(stage.order(stage.now + .seconds(5), settings: settings))
            #expect(armed.failure == objection)
        }
    }

    @Test("Says of a photo that needs the camera that another one has it")
    func objectionToOverlap() async throws {
        let stage = try Stage()
        let output = PhotoOutput(session: stage.session)
        try await stage.run {
            await stage.start()
            _ = try await stage.session.arm(stage.order(stage.now + .seconds(5))).get()
            #expect(await output.objection(to: PhotoSettings(flash: .on))?.code == .conflict)
            #expect(await output.canCapturePhoto(with: PhotoSettings()), "captures overlap")
        }
    }

    @Test("Keeps ids and events of simultaneous photos apart")
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

    @Test("Follows a request under way instead of accepting it twice")
    func conflict() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(40))
            let events = try await stage.session.capturePhoto(order)
            do throws(RigProblem) {
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

    @Test("Takes a photo with flash as soon as the camera can be ready")
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
