import CaptureModel

/// A fault that waits for its time or has begun.
struct ArmedFault {
    let fault: VirtualFault
    /// Distinguishes the dice of faults of equal kind.
    let salt: UInt64
    private var begun: LocalTime?
    private var candidates = 0
    private var strikes = 0

    init(_ fault: VirtualFault, salt: UInt64) {
        self.fault = fault
        self.salt = salt
    }

    /// Whether it can never strike again.
    func isOver(at instant: LocalTime) -> Bool {
        if let count = fault.count, strikes >= count { return true }
        guard let begun, let length = fault.forSeconds else { return false }
        return instant >= begun + Duration(clampedSeconds: length)
    }

    /// Whether it lasts at this instant; begins it when its time has come.
    /// - Parameter frame: Frames exposed before this one, over the camera's life.
    mutating func isLasting(at instant: LocalTime, frame: UInt64, poweredOn: LocalTime) -> Bool {
        if begun == nil {
            let due = poweredOn + Duration(clampedSeconds: fault.afterSeconds ?? 0)
            guard frame >= fault.fromFrame ?? 0, instant >= due else { return false }
            // Its end is counted from its planned beginning where that is an instant, not from when it was noticed.
            begun = fault.afterSeconds != nil && fault.fromFrame == nil ? due : instant
        }
        return !isOver(at: instant)
    }

    /// Whether it strikes this frame or start, of all those for which it is asked while it lasts.
    mutating func strikes(frame: UInt64, noise: SeededNoise) -> Bool {
        let position = candidates
        candidates += 1
        guard position.isMultiple(of: max(1, fault.every ?? 1)) else { return false }
        if let probability = fault.probability, noise.fraction(at: frame, stream: salt) >= probability { return false }
        strikes += 1
        return true
    }
}
