import CameraKit
public import CaptureModel
import PosixSupport

/// Why a session's configuration cannot get an input, an output or a preset. Asking changes nothing.
public struct ConfigurationObjection: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The device is not a camera.
        case notACamera
        /// The session has an input already, and can have one.
        case inputPresent
        /// There is no input whose formats could fulfill the preset.
        case noInput
        /// The session has the output already.
        case outputPresent
        /// The camera offers no format for the preset.
        case noFormat
        /// The camera does not say what it offers: it is absent, in use, or may not be opened.
        case unknownOffers
    }

    public var reason: Reason
    /// A sentence that names the device or output, and says what to do.
    public var message: String

    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    public var description: String { message }
}

/// Queries before a change, after AVFoundation's `canAddInput(_:)`, `canAddOutput(_:)` and `canSetSessionPreset(_:)`.
extension SessionConfiguration {
    /// Returns why an input cannot be added; nil if it can.
    public func objection(toAdding input: CaptureDeviceInput) -> ConfigurationObjection? {
        let device = input.device.id
        if input.device.description.mediaType != .video {
            return ConfigurationObjection(.notACamera, "\(device) is not a camera; add one")
        }
        guard let present = inputs.first else { return nil }
        return ConfigurationObjection(
            .inputPresent, "the session has the input \(present.device.id) already; remove it first")
    }

    public func canAddInput(_ input: CaptureDeviceInput) -> Bool { objection(toAdding: input) == nil }

    /// Returns why an output cannot be added; nil if it can.
    public func objection(toAdding output: CaptureOutputKind) -> ConfigurationObjection? {
        outputs.contains(output)
            ? ConfigurationObjection(.outputPresent, "the session has the output \(output.rawValue) already") : nil
    }

    public func canAddOutput(_ output: CaptureOutputKind) -> Bool { objection(toAdding: output) == nil }

    /// Returns why a preset cannot be set with the configuration's input; nil if it can.
    ///
    /// Asks the camera what it offers, which may take as long as its hardware takes to answer. It may be capturing
    /// at the same time. `inputPriority` needs no answer.
    public func objection(toSetting preset: SessionPreset) async -> ConfigurationObjection? {
        guard let input = inputs.first else {
            return ConfigurationObjection(
                .noInput, "the session has no input, whose formats '\(preset.rawValue)' chooses from; add one first")
        }
        do throws(CameraError) {
            _ = try await input.resolvedFormat(preset)
            return nil
        } catch {
            let reason: ConfigurationObjection.Reason = error.code == .unsupportedFormat ? .noFormat : .unknownOffers
            return ConfigurationObjection(reason, error.description)
        }
    }

    public func canSetPreset(_ preset: SessionPreset) async -> Bool { await objection(toSetting: preset) == nil }
}

extension CaptureSession {
    /// Returns why ``commitConfiguration(_:)`` would refuse a configuration at present, with the step; nil if only the
    /// start of the camera can fail. Changes nothing, and opens no camera for pictures.
    ///
    /// Another camera is asked whether it may be opened. Whether another program uses it shows at the start only.
    public func objection(toCommitting configuration: SessionConfiguration) async -> ConfigurationFailure? {
        guard !core.isCommitting else {
            return ConfigurationFailure(.begin, "another configuration is being committed")
        }
        do throws(ConfigurationFailure) {
            let old = setup.withLock { $0 }
            let new = try await resolve(configuration, after: old)
            try checkIsNotReopening(since: old)
            guard new.needsOtherHardware(than: old) else { return nil }
            try checkIsFree()
            try await checkAuthorization(of: new.input.device)
            return nil
        } catch {
            return error
        }
    }

    private func checkAuthorization(of device: CaptureDevice) async throws(ConfigurationFailure) {
        let status = await device.authorization()
        guard status == .denied || status == .restricted else { return }
        let remedy = await device.camera.authorizationRemedy().map { "; \($0)" } ?? ""
        throw ConfigurationFailure(.start, "\(device.id) is \(status.rawValue)\(remedy)")
    }

    public func canCommitConfiguration(_ configuration: SessionConfiguration) async -> Bool {
        await objection(toCommitting: configuration) == nil
    }
}
