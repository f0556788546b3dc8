import CameraKit
import CaptureModel

/// The exposures of a camera that acts at the instants of scheduled action commands. Events in, actions out; no clock, no socket.
///
/// | state | event | then |
/// |---|---|---|
/// | – | ``arm(_:at:following:now:)`` | `state ID` is written: asked. Too soon, too close to another, too many: refused |
/// | asked | `state ID …` of a camera on the node's PTP clock | the command is written: sent |
/// | asked | the same, of another camera; `unready ID …`; ``askPatience`` is over | refused |
/// | sent | its acknowledgement, of success | armed |
/// | sent | its acknowledgement, of anything else | refused |
/// | sent | a frame with the time of its action: the answer waits behind it in the helper | armed, and exposed |
/// | sent | ``acknowledgePatience`` is over, and there is time for another attempt | the command is written again, with the same id |
/// | sent | the same, after the last attempt | refused; the camera may act nevertheless: given up |
/// | armed | a frame with the time of its action | exposed; if the frame is awaited already, delivered: over |
/// | armed | a frame less than an interval after that time, or ``framePatience`` is over | failed; if awaited, missed: over |
/// | exposed, failed | ``awaitFrame(_:)`` | delivered or missed: over |
/// | armed | ``disarm(_:)`` | given up; if awaited, missed |
/// | exposed, failed | ``disarm(_:)`` | over |
/// | given up | a frame with the time of its action, or ``framePatience`` is over | over |
/// | any but given up | ``end(_:)`` | refused or missed: over |
///
/// A frame that is delivered to nobody is dropped, and counted. Exposures that are over are forgotten; asking for one is a miss. An action
/// cannot be taken back from a camera, so one that is given up still is in the way of others.
struct ActionMachine {
    typealias ID = UInt64

    enum Action: Sendable {
        /// A line for the helper, without its end.
        case write(String)
        /// Answers the call that arms.
        case armed(ID)
        case refused(ID, ExposureRefusal)
        /// Answers the call that awaits the frame.
        case delivered(ID, CameraFrame)
        case missed(ID, ExposureRefusal)
        /// Counts a frame that nobody gets.
        case dropped
    }

    /// What holds for all exposures of a stream.
    struct Limits: Hashable, Sendable {
        /// The shortest time from one exposure to the next.
        var interval: Duration
        /// What is added to the camera's stamp of an exposure's start.
        var latencyOffset = Duration.zero
        /// The largest error of that stamp.
        var uncertainty = Duration.zero
    }

    /// An action that was sent.
    private struct Plan {
        let timeline: PTPTimeline
        let exposure: Duration
        let command: ActionCommand
        /// When the exposure is to begin, on the camera's clock.
        var start: Int64 { Int64(clamping: command.time) }
        /// On this machine's.
        var localStart: LocalTime { timeline.localTime(atCamera: start) }
        /// When its frame is given up.
        var frameDeadline: LocalTime { localStart + exposure + ActionMachine.framePatience }
    }

    private enum Stage {
        case asked(until: LocalTime)
        case sent(Plan, attempt: Int, until: LocalTime)
        case armed(Plan, isAwaited: Bool)
        case givenUp(Plan)
        case exposed(CameraFrame)
        case failed(ExposureRefusal)
    }

    private struct Exposure {
        let id: ID
        let instant: LocalTime
        let node: DisciplinedClock<LocalTimeBase>?
        var stage: Stage

        /// Whether the camera has acted, or never will.
        var isPast: Bool {
            switch stage {
            case .exposed, .failed: true
            case .asked, .sent, .armed, .givenUp: false
            }
        }
    }

    /// How long the helper may take to read the camera's state.
    static let askPatience = Duration.seconds(2)
    /// How long an acknowledgement may take, and how often a command is sent at most.
    static let acknowledgePatience = Duration.milliseconds(100)
    static let attempts = 20
    /// How long before an exposure its command is sent at the latest.
    static let margin = Duration.milliseconds(20)
    /// How long after its end the frame of an exposure may be under way.
    static let framePatience = Duration.seconds(2)
    /// How far a frame's stamp may be from the time of its action.
    static let tolerance = Duration.milliseconds(1)
    /// How long a camera may expose. A frame that began more than ten seconds before it arrives is taken for one of another clock, which
    /// ends the stream.
    static let longestExposure = Duration.seconds(5)
    /// Exposures at once. Each keeps a frame at most.
    static let mostExposures = 16

    private let limits: Limits
    private var exposures: [Exposure] = []
    private var lastRequest: UInt16 = 0
    private var ending: ExposureRefusal?

    init(limits: Limits) {
        self.limits = limits
    }

    // MARK: Calls

    /// - Parameter id: Of none before.
    mutating func arm(
        _ id: ID, at instant: LocalTime, following node: DisciplinedClock<LocalTimeBase>?, now: LocalTime
    ) -> [Action] {
        if let refusal = ending ?? objection(to: instant, now) { return [.refused(id, refusal)] }
        exposures.append(
            Exposure(id: id, instant: instant, node: node, stage: .asked(until: now + Self.askPatience)))
        return [.write("state \(id)")]
    }

    /// Notes that somebody waits for the frame of an exposure that is armed.
    mutating func awaitFrame(_ id: ID) -> [Action] {
        guard let index = exposures.firstIndex(where: { $0.id == id }) else {
            return [.missed(id, ending ?? Self.isOver)]
        }
        switch exposures[index].stage {
        case .armed(let plan, _):
            exposures[index].stage = .armed(plan, isAwaited: true)
            return []
        case .exposed(let frame):
            exposures.remove(at: index)
            return [.delivered(id, frame)]
        case .failed(let refusal):
            exposures.remove(at: index)
            return [.missed(id, refusal)]
        case .asked, .sent, .givenUp:
            return [.missed(id, Self.isOver)]
        }
    }

    mutating func disarm(_ id: ID) -> [Action] {
        guard let index = exposures.firstIndex(where: { $0.id == id }) else { return [] }
        switch exposures[index].stage {
        case .armed(let plan, let isAwaited):
            exposures[index].stage = .givenUp(plan)
            return isAwaited ? [.missed(id, Self.isOver)] : []
        case .exposed:
            exposures.remove(at: index)
            return [.dropped]
        case .failed:
            exposures.remove(at: index)
            return []
        // Nobody knows their ids yet, or any longer.
        case .asked, .sent, .givenUp: return []
        }
    }

    private static let isOver = ExposureRefusal(.camera, "the exposure was given up")

    private func objection(to instant: LocalTime, _ now: LocalTime) -> ExposureRefusal? {
        guard instant - now >= Self.margin else { return Self.tooSoon(instant - now) }
        guard exposures.count < Self.mostExposures else {
            return ExposureRefusal(
                .conflict, "\(Self.mostExposures) exposures of the camera wait already; wait for one to end")
        }
        return crowding(at: instant, among: exposures, spacing: limits.interval)
    }

    /// Why an exposure is too near to others.
    private func crowding(
        at instant: LocalTime, among others: some Sequence<Exposure>, spacing: Duration
    ) -> ExposureRefusal? {
        let distances = others.filter { !$0.isPast }.map { (instant - $0.instant).magnitude }
        guard let nearest = distances.min(), nearest < spacing else { return nil }
        return ExposureRefusal(
            .conflict,
            "the camera exposes \(nearest.text) beside T already, and needs \(spacing.text) from one exposure to the next; choose another T, or a higher framesPerSecond"
        )
    }

    private static func tooSoon(_ left: Duration) -> ExposureRefusal {
        ExposureRefusal(
            .tooSoon,
            "the camera must be told of its exposure \(margin.text) before it begins, and \(left.text) are left; trigger with a longer --lead"
        )
    }

    // MARK: The helper

    /// The camera's state was read.
    mutating func read(_ id: ID, _ camera: CameraReading, now: LocalTime) -> [Action] {
        guard let index = asked(id) else { return [] }
        do throws(ExposureRefusal) {
            return [try send(index, try plan(exposures[index], camera, now), now)]
        } catch {
            return refuse(index, error)
        }
    }

    /// The camera's state could not be read.
    mutating func failed(_ id: ID, _ reason: String) -> [Action] {
        asked(id).map { refuse($0, ExposureRefusal(.camera, "the camera's clock cannot be read: \(reason)")) } ?? []
    }

    private func asked(_ id: ID) -> Int? {
        exposures.firstIndex { exposure in
            if case .asked = exposure.stage { exposure.id == id } else { false }
        }
    }

    private mutating func refuse(_ index: Int, _ refusal: ExposureRefusal) -> [Action] {
        [.refused(exposures.remove(at: index).id, refusal)]
    }

    private mutating func plan(
        _ exposure: Exposure, _ camera: CameraReading, _ now: LocalTime
    ) throws(ExposureRefusal) -> Plan {
        let timeline = try PTPTimeline(node: exposure.node, camera: camera, now: now)
        guard let length = camera.exposure else {
            throw ExposureRefusal(
                .camera,
                "the camera's exposure is automatic, so its middle cannot be placed at T; set ExposureAuto to Off by `settings`"
            )
        }
        guard length <= Self.longestExposure else {
            throw ExposureRefusal(
                .camera,
                "the camera is set to expose for \(length.text), and at most \(Self.longestExposure.text) are possible; set a shorter ExposureTime by `settings`"
            )
        }
        // The camera exposes for longer than its rate allows, if it is told to.
        let earlier = exposures.prefix { $0.id != exposure.id }
        let spacing = max(limits.interval, length)
        if let refusal = crowding(at: exposure.instant, among: earlier, spacing: spacing) { throw refusal }
        let start = timeline.cameraTime(at: exposure.instant - length / 2)
        lastRequest = Self.request(after: lastRequest)
        return Plan(
            timeline: timeline, exposure: length,
            command: ActionCommand(request: lastRequest, time: UInt64(max(0, start))))
    }

    /// Returns the next id of a request, which is not 0.
    static func request(after last: UInt16) -> UInt16 { last == .max ? 1 : last + 1 }

    private mutating func send(_ index: Int, _ plan: Plan, _ now: LocalTime) throws(ExposureRefusal) -> Action {
        let left = plan.localStart - now
        guard left >= Self.margin else { throw Self.tooSoon(left) }
        exposures[index].stage = .sent(plan, attempt: 1, until: now + Self.acknowledgePatience)
        return write(plan)
    }

    private func write(_ plan: Plan) -> Action { .write("action \(plan.command.bytes.hexadecimal)") }

    /// The camera has answered a command, or has sent something else.
    mutating func received(_ bytes: [UInt8]) -> [Action] {
        guard let answer = ActionAcknowledgement(bytes) else { return [] }
        for index in exposures.indices {
            guard case .sent(let plan, _, _) = exposures[index].stage, plan.command.request == answer.request else {
                continue
            }
            if let refusal = answer.status.refusal { return refuse(index, refusal) }
            exposures[index].stage = .armed(plan, isAwaited: false)
            return [.armed(exposures[index].id)]
        }
        // Repeated: one attempt of several was answered before.
        return []
    }

    /// A frame has come.
    /// - Parameter stamp: Of the camera's clock.
    mutating func received(_ frame: CameraFrame, stamp: Int64) -> [Action] {
        var nearest: (index: Int, plan: Plan, distance: Duration)?
        for index in exposures.indices {
            guard let plan = acting(index) else { continue }
            let distance = Duration.nanoseconds(stamp &- plan.start) + limits.latencyOffset
            if nearest.map({ distance.magnitude < $0.distance.magnitude }) ?? true { nearest = (index, plan, distance) }
        }
        guard let nearest else { return [.dropped] }
        guard nearest.distance.magnitude <= Self.tolerance else {
            // One of before says nothing: that of the action is still to come. So may be the answer to its command.
            let isLate = nearest.distance > .zero && nearest.distance < limits.interval
            let isToFail = isLate && !isUnanswered(nearest.index)
            return [.dropped] + (isToFail ? fail(nearest.index, Self.wrongStamp(nearest.distance)) : [])
        }
        return settle(nearest.index, with: timed(frame, stamp, nearest.plan))
    }

    /// The plan of an exposure whose frame may come.
    private func acting(_ index: Int) -> Plan? {
        switch exposures[index].stage {
        case .sent(let plan, _, _), .armed(let plan, _), .givenUp(let plan): plan
        case .asked, .exposed, .failed: nil
        }
    }

    private func isUnanswered(_ index: Int) -> Bool {
        if case .sent = exposures[index].stage { true } else { false }
    }

    private func timed(_ frame: CameraFrame, _ stamp: Int64, _ plan: Plan) -> CameraFrame {
        var frame = frame
        frame.midExposure = plan.timeline.localTime(atCamera: stamp) + limits.latencyOffset + plan.exposure / 2
        frame.stampBound = plan.timeline.bound(at: frame.midExposure) + limits.uncertainty
        frame.exposure = plan.exposure
        return frame
    }

    private mutating func settle(_ index: Int, with frame: CameraFrame) -> [Action] {
        let id = exposures[index].id
        switch exposures[index].stage {
        case .armed(_, isAwaited: true):
            exposures.remove(at: index)
            return [.delivered(id, frame)]
        case .armed(_, isAwaited: false):
            exposures[index].stage = .exposed(frame)
            return []
        case .sent:
            exposures[index].stage = .exposed(frame)
            return [.armed(id)]
        case .asked, .givenUp, .exposed, .failed:
            exposures.remove(at: index)
            return [.dropped]
        }
    }

    /// The frame of an exposure will not come.
    private mutating func fail(_ index: Int, _ refusal: ExposureRefusal) -> [Action] {
        let id = exposures[index].id
        switch exposures[index].stage {
        case .armed(_, isAwaited: true):
            exposures.remove(at: index)
            return [.missed(id, refusal)]
        case .armed(_, isAwaited: false):
            exposures[index].stage = .failed(refusal)
            return []
        case .asked, .sent, .givenUp, .exposed, .failed:
            exposures.remove(at: index)
            return []
        }
    }

    private static func wrongStamp(_ distance: Duration) -> ExposureRefusal {
        ExposureRefusal(
            .camera,
            "the frame that came has a stamp \(distance.text) after the time of its action; it is of something else, or the camera stamps so late: correct `latencyOffset`"
        )
    }

    // MARK: Time

    /// When ``expire(at:)`` has something to do.
    var deadline: LocalTime? { exposures.indices.compactMap(deadline(of:)).min() }

    private func deadline(of index: Int) -> LocalTime? {
        switch exposures[index].stage {
        case .asked(let until), .sent(_, _, let until): until
        case .armed(let plan, _), .givenUp(let plan): plan.frameDeadline
        case .exposed, .failed: nil
        }
    }

    /// Does what has become due.
    mutating func expire(at now: LocalTime) -> [Action] {
        var actions: [Action] = []
        // From the last, because one that is over is removed.
        for index in exposures.indices.reversed() {
            guard let due = deadline(of: index), due <= now else { continue }
            actions += expire(index, now)
        }
        return actions
    }

    private mutating func expire(_ index: Int, _ now: LocalTime) -> [Action] {
        switch exposures[index].stage {
        case .asked:
            return refuse(
                index, ExposureRefusal(.camera, "the camera's clock was not read within \(Self.askPatience.text)"))
        case .sent(let plan, let attempt, _):
            guard attempt < Self.attempts, plan.localStart - now >= Self.margin else { return giveUp(index, plan) }
            exposures[index].stage = .sent(plan, attempt: attempt + 1, until: now + Self.acknowledgePatience)
            return [write(plan)]
        case .armed, .givenUp:
            return fail(
                index,
                ExposureRefusal(
                    .camera,
                    "the camera has acknowledged the exposure, and its frame has not come within \(Self.framePatience.text); see `droppedByDevice`, and the network's packet size"
                ))
        case .exposed, .failed: return []
        }
    }

    /// Refuses an exposure of which it is not known whether the camera knows it.
    private mutating func giveUp(_ index: Int, _ plan: Plan) -> [Action] {
        exposures[index].stage = .givenUp(plan)
        return [
            .refused(
                exposures[index].id,
                ExposureRefusal(
                    .camera, "the camera has not acknowledged the command to expose; do its packets reach this node?"))
        ]
    }

    /// The stream has ended.
    mutating func end(_ refusal: ExposureRefusal) -> [Action] {
        ending = ending ?? refusal
        defer { exposures = [] }
        return exposures.flatMap { exposure -> [Action] in
            switch exposure.stage {
            case .asked, .sent: [.refused(exposure.id, refusal)]
            case .armed(_, isAwaited: true): [.missed(exposure.id, refusal)]
            case .exposed: [.dropped]
            case .armed, .givenUp, .failed: []
            }
        }
    }
}
