import CaptureModel
import CaptureTestSupport
import RigWire

/// Legal values of every kind, for round trips.
extension SeededGenerator {
    static let lower = "abcdefghijklmnopqrstuvwxyz0123456789"

    mutating func name<Subject>() throws -> Name<Subject> {
        try Name(text(Self.lower, 1...1) + text(Self.lower + "-_", 0...23))
    }

    mutating func deviceID() throws -> DeviceID {
        DeviceID(node: try name(), device: try name())
    }

    mutating func word() -> String { text(Self.lower + "ÄöABC:/-_.", 1...32) }

    mutating func sentence() -> String { text(Self.lower + " ,.:'\n\tÜ€😀", 0...60) }

    mutating func videoFormat() -> VideoFormat {
        VideoFormat(
            pixelFormat: pick(PixelFormat.allCases), width: Int(number(WireLimits.pixels)),
            height: Int(number(WireLimits.pixels)), frameInterval: .nanoseconds(number(WireLimits.frameInterval)))
    }

    mutating func description() throws -> DeviceDescription {
        DeviceDescription(
            id: try deviceID(), mediaType: pick(MediaType.allCases), type: DeviceType(rawValue: word()),
            position: Position(rawValue: word()), labels: list(0...5) { $0.word() }, purpose: sentence(),
            orientation: pick(Orientation.allCases), mirrored: maybe { _ in true }, driver: word(),
            make: maybe { $0.sentence() },
            model: maybe { $0.sentence() }, serial: maybe { $0.sentence() })
    }

    mutating func counters() -> FrameCounters {
        var counters = FrameCounters()
        counters.delivered = UInt64(number(0...Int64.max))
        counters.droppedByDevice = UInt64(number(0...Int64.max))
        counters.flaggedErroneous = UInt64(number(0...Int64.max))
        counters.torn = UInt64(number(0...Int64.max))
        counters.droppedByNode = UInt64(number(0...Int64.max))
        counters.stalls = UInt64(number(0...Int64.max))
        return counters
    }

    mutating func condition() -> DeviceCondition {
        DeviceCondition(
            state: pick(DeviceCondition.State.allCases), reason: maybe { $0.sentence() },
            format: maybe { $0.videoFormat() }, counters: counters(),
            phase: maybe {
                FramePhase(
                    midExposure: RigTime(nanoseconds: $0.number(Int64.min...Int64.max)),
                    periodNanoseconds: $0.number(WireLimits.frameInterval))
            }, session: maybe { $0.sessionCondition() })
    }

    mutating func sessionCondition() -> SessionCondition {
        SessionCondition(
            phase: pick(SessionCondition.Phase.allCases), interruption: maybe { $0.pick(InterruptionReason.allCases) },
            authorization: pick(AuthorizationStatus.allCases), attempt: maybe { Int($0.number(1...1000)) },
            failedStep: maybe { $0.word() }, demands: list(0...3) { SessionDemand(rawValue: $0.word()) },
            isHeld: number(0...1) == 1, readiness: pick(CaptureReadiness.allCases),
            abilities: SessionAbilities(
                photo: ability(), live: ability(), record: ability(), switchInput: ability(),
                largerPhoto: ability()),
            cost: maybe { $0.cost() },
            largerPhoto: maybe {
                LargerPhoto(dimensions: $0.pixelSize(), leadNanoseconds: $0.number(WireLimits.nonNegative))
            }, livePhotosInProgress: Int(number(0...64)), recording: maybe { $0.recordingProgress() },
            hasRaw: number(0...1) == 1)
    }

    private mutating func recordingProgress() -> RecordingProgress {
        RecordingProgress(
            take: shotID(), frameCount: Int(number(0...1_000_000)), byteCount: number(WireLimits.nonNegative),
            durationNanoseconds: number(WireLimits.nonNegative),
            segmentNumber: Int(number(1...Int64(SegmentNumber.limit))))
    }

    private mutating func ability() -> SessionAbilities.Ability {
        number(0...1) == 1 ? .allowed : .refused(sentence())
    }

    private mutating func cost() -> SessionCost {
        SessionCost(
            streamBytesPerSecond: number(0...Int64.max), ringBytes: number(0...Int64.max),
            ringLimitBytes: number(0...Int64.max), encodePermille: Int(number(0...100_000)),
            bus: maybe {
                SessionCost.USBBus(number: Int($0.number(1...99)), limitBytesPerSecond: $0.number(0...1_000_000))
            })
    }

    mutating func deviceStatus() throws -> DeviceStatus {
        DeviceStatus(device: try description(), condition: condition())
    }
}
