import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine
@testable import Spool

@Suite struct CaptureListTests {
    private let list = CaptureList(clock: ManualTimeSource())

    private func order(_ number: Int64 = 1, movie: MovieSettings? = nil) throws -> CaptureOrder {
        var generator = SeededGenerator(seed: UInt64(number))
        let shot = ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
        var settings = PhotoSettings()
        settings.movie = movie
        return CaptureOrder(
            key: CaptureKey(shot: shot, device: try DeviceID("north/cam")),
            time: RigTime(nanoseconds: 50_000_000_000), rigClock: RigClockID(rawValue: "rig-1"),
            pinnedUntil: RigTime(nanoseconds: 60_000_000_000), settings: settings,
            realtimeAtTime: 1_794_478_400_250_000_000, utcOffsetMinutes: 0)
    }

    private func capture(_ order: CaptureOrder) -> PendingCapture {
        let resolved = ResolvedPhotoSettings(
            width: 160, height: 120,
            streamFormat: VideoFormat(
                pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(40)),
            isCameraEncoded: true, orientation: .degrees0)
        return PendingCapture(
            order, ResolvedCapture(settings: resolved), SpoolReservation(id: 1, byteCount: 1), sender: nil)
    }

    /// Arms a capture.
    private func arm(_ order: CaptureOrder) {
        list.claim(order, hasCamera: false)
        list.endClaim(of: order.key, with: capture(order))
    }

    @Test("A capture that is being armed has the camera if it needs that alone")
    func claimsCamera() throws {
        let order = try order()
        list.claim(order, hasCamera: true)
        #expect(list.isClaimed(order.key) && list.isBeingArmed && list.isCameraTaken && list.isEmpty)
        list.claimCamera(false, for: order.key)
        #expect(!list.isCameraTaken)
        list.endClaim(of: order.key, with: nil)
        #expect(!list.isBeingArmed && list.isEmpty)
    }

    @Test("Counts captures that are being armed with those in progress")
    func counts() throws {
        let (first, second) = (try order(1), try order(2))
        arm(first)
        list.claim(second, hasCamera: false)
        #expect(list.count() == 2 && list.count(besides: second.key) == 1)
        #expect(list.keys == [first.key])
    }

    @Test("Answers the waiters of a claim when it ends")
    func waiters() async throws {
        let order = try order()
        await list.awaitClaim(of: order.key)
        list.claim(order, hasCamera: false)
        list.endClaim(of: order.key, with: capture(order))
        await list.awaitClaim(of: order.key)
        #expect(list[order.key]?.order == order)
    }

    @Test("Fires a capture once")
    func fires() throws {
        let order = try order()
        #expect(list.fire(order.key) == nil)
        arm(order)
        #expect(list.unfiredOrders == [order])
        #expect(list.fire(order.key)?.isFired == true)
        #expect(list.fire(order.key) == nil)
        #expect(list.isFrameAwaited && list.unfiredOrders.isEmpty)
        list.choose(order.key)
        #expect(!list.isFrameAwaited && list.isProcessing)
        #expect(list.remove(order.key)?.isChosen == true)
        #expect(list.isEmpty && list.remove(order.key) == nil)
    }

    @Test("Knows why a capture was given up until it is armed again")
    func lost() throws {
        let order = try order()
        let problem = RigProblem(.deviceLost, "Unplugged.")
        list.noteLost(order.key, problem)
        #expect(list.problem(of: order.key) == problem)
        arm(order)
        #expect(list.problem(of: order.key) == nil)
        for number in 2...Int64(CaptureList.limit + 2) { list.noteLost(try self.order(number).key, problem) }
        #expect(list.problem(of: try self.order(2).key) == nil, "as many as may be in progress are kept")
    }

    @Test("A take is armed until its recording is handed over, and keeps the first instant of its stop")
    func takes() throws {
        let order = try order(movie: MovieSettings())
        list.claim(order, hasCamera: false)
        #expect(list.isMovieArmed && list.armedTakes.isEmpty)
        list.endClaim(of: order.key, with: capture(order))
        #expect(list.isMovieArmed && list.armedTakes == [order.key])
        list.stopRecording(order.key, at: RigTime(nanoseconds: 7))
        list.stopRecording(order.key, at: RigTime(nanoseconds: 9))
        #expect(list.handOver(order.key)?.stop == RigTime(nanoseconds: 7))
        #expect(!list.isMovieArmed && list.isEmpty)
    }

    @Test("Notes the loss of frames of the captures in progress")
    func frames() throws {
        let order = try order()
        arm(order)
        list.loseFrames()
        #expect(list[order.key]?.hasLostFrames == true)
    }
}
