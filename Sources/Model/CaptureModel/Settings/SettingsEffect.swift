/// What has become of a transaction at a camera that has accepted it.
public struct SettingsEffect: Hashable, Codable, Sendable {
    /// When the camera had accepted all values.
    public var accepted: BoundedRigTime
    /// The controls afterwards, by the driver's names, read back. This proves acceptance only: a driver may answer from a cache while
    /// pictures still have the old values.
    public var controls: [String: Int64]
    /// When the values came into the pictures.
    public var change: SettingsChangeover

    public init(accepted: BoundedRigTime, controls: [String: Int64], change: SettingsChangeover) {
        self.accepted = accepted
        self.controls = controls
        self.change = change
    }
}

/// The frames between which a camera's pictures changed from the old values to the new ones.
public struct SettingsChangeover: Hashable, Codable, Sendable {
    /// How the two frames are known.
    public enum Evidence: String, Hashable, Codable, Sendable, CaseIterable {
        /// Every control had its value before, so that no picture changes.
        case unchanged
        /// Each frame states the values that it was exposed with.
        case metadata
        /// The brightness of the pictures has changed as requested, by more than noise.
        case pixels
        /// The driver has told when the camera had focused.
        case status
        /// The camera's delay was measured.
        case calibrated
        /// Nothing is known but the instant of acceptance.
        case unknown
    }

    public var evidence: Evidence
    /// The last frame that surely has the old values; nil if none is known, or nothing changes.
    public var lastOld: FrameMark?
    /// The first frame that surely has the new values; nil if it is not known. If nothing changes, the first frame after the acceptance.
    public var firstNew: FrameMark?

    /// true if the stream was opened again, so that the sequence numbers of the two frames are of different streams; otherwise nil.
    public var streamReopened: Bool?

    public init(
        evidence: Evidence, lastOld: FrameMark? = nil, firstNew: FrameMark? = nil, streamReopened: Bool? = nil
    ) {
        self.streamReopened = streamReopened
        self.evidence = evidence
        self.lastOld = lastOld
        self.firstNew = firstNew
    }

    /// The number of frames of which it is not known whether they have the old or the new values; nil if that is not known.
    public var undecidedFrames: UInt64? {
        guard let lastOld, let firstNew, streamReopened != true, firstNew.sequence > lastOld.sequence
        else { return nil }
        return firstNew.sequence - lastOld.sequence - 1
    }
}

/// A frame of a camera: its number in the stream, and its mid-exposure.
public struct FrameMark: Hashable, Codable, Sendable {
    /// The driver's sequence number.
    public var sequence: UInt64
    public var midExposure: BoundedRigTime

    public init(sequence: UInt64, midExposure: BoundedRigTime) {
        self.sequence = sequence
        self.midExposure = midExposure
    }
}
