import CaptureModel

/// Offers the frames of a session to what is attached to its ``SessionOutputs``: previews and frames for programs.
final class AttachedOutputs: CaptureOutput {
    private unowned let session: any SessionAccess
    private let attached: SessionOutputs

    init(_ session: any SessionAccess, _ attached: SessionOutputs) {
        self.session = session
        self.attached = attached
    }

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        guard stream.purpose == .session, !attached.isEmpty else { return }
        // A raw mosaic has no picture to be seen.
        guard let picture = frame.picture else { return }
        let setup = session.setup
        let device = setup.device
        let offered = OfferedFrame(
            frame: picture, format: stream.format, orientation: device.orientation,
            isMirrored: device.mirrored ?? false)
        attached.offer(offered) { setup.isEnabled($0) }
    }
}
