import CameraKit
import CaptureModel
import PosixSupport

/// Whether a still can be larger than the stream's frames: supported, enabled, requested.
extension CaptureSession {
    /// The format the camera leaves its stream for.
    /// - Returns: nil where the still is a frame of the stream.
    /// - Throws: `unsupportedSettings`, naming the level that is missing.
    func largerFormat(
        _ settings: PhotoSettings, beside stream: VideoFormat
    ) async throws(CaptureProblem) -> PhotoFormatChoice? {
        let present = PixelSize(width: stream.width, height: stream.height)
        guard let wish = settings.maxPhotoDimensions, wish != present else { return nil }
        guard present.width <= wish.width, present.height <= wish.height else {
            throw larger("the frames of its stream are \(present), beyond \(wish), and are not made smaller")
        }
        let offers = try await offersForPhoto()
        guard let largest = choice(of: offers, stream, within: nil) else {
            throw larger("not supported: the device offers nothing larger than its stream's \(present)")
        }
        guard let enabled = enabledDimensions else {
            throw larger(
                "supported up to \(largest.size) and not enabled: set `maxPhotoDimensions` in the device's configuration"
            )
        }
        guard enabled.allows(wish) else {
            throw larger("\(wish) is not enabled: `maxPhotoDimensions` in the device's configuration is \(enabled)")
        }
        guard let choice = choice(of: offers, stream, within: wish) else {
            throw larger(
                "not supported: the device offers nothing larger than its stream's \(present) within \(wish); the largest it offers is \(largest.size)"
            )
        }
        return choice
    }

    /// What can be had as things are; nil where nothing, or where nothing is known of the device yet.
    var largerPhoto: LargerPhoto? {
        guard let enabled = enabledDimensions, let stream = stream?.format, let offers = knownOffers,
            let choice = choice(of: offers, stream, within: enabled.limit)
        else { return nil }
        let lead = PhotoFormatSwitch(choice, reopening: reopening, clock: clock).lead
        return LargerPhoto(dimensions: choice.size, leadNanoseconds: lead.nanoseconds)
    }

    var largerPhotoAbility: SessionAbilities.Ability {
        guard isRunning else { return .refused(stateDescription) }
        guard enabledDimensions != nil else {
            return .refused("not enabled: set `maxPhotoDimensions` in the device's configuration")
        }
        guard knownOffers != nil else { return .refused("what the device offers is not known yet") }
        guard largerPhoto != nil else {
            return .refused("not supported: the device offers nothing larger within `maxPhotoDimensions`")
        }
        return pending.isEmpty && !isRecordingClips
            ? photoAbility : .refused("captures are under way, and it overlaps with none")
    }

    /// Learns what the device offers, where larger stills are enabled, so that it is known before one is asked for.
    func learnOffers() async {
        // Where the device does not tell, a shot's refusal says why.
        if enabledDimensions != nil { _ = try? await offersForPhoto() }
    }

    private func offersForPhoto() async throws(CaptureProblem) -> [FormatOffer] {
        if let knownOffers { return knownOffers }
        let device = device.id
        do throws(CameraError) {
            let offers = try await camera.capabilities().formats
            // Another camera may have taken its place meanwhile.
            if device == self.device.id { knownOffers = offers }
            return offers
        } catch {
            throw CaptureProblem(.notRunning, "\(device): what it offers cannot be read: \(error.reason)")
        }
    }

    private func choice(of offers: [FormatOffer], _ stream: VideoFormat, within limit: PixelSize?) -> PhotoFormatChoice?
    {
        let wish = setup.withLock { $0.input.format.pixelFormat }
        return .largest(of: offers, beside: stream, pixelFormat: wish, within: limit)
    }

    private var enabledDimensions: MaxPhotoDimensions? { setup.withLock { $0.input.maxPhotoDimensions } }

    private func larger(_ reason: String) -> CaptureProblem {
        CaptureProblem(
            .unsupportedSettings, "\(device.id): a still larger than the stream's frames cannot be had: \(reason)")
    }
}
