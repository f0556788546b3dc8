import CaptureModel

extension SessionConfiguration {
    /// This configuration with the input of another one in place of its own.
    ///
    /// Outputs stay enabled or disabled as they are. Orientation and mirroring are those of a camera in its place: they come
    /// along as the other configuration has them.
    public func replacingInput(by other: SessionConfiguration) -> SessionConfiguration {
        var changed = self
        changed.inputs = other.inputs
        changed.connections = other.inputs.flatMap { input in
            let description = input.device.description
            return connections.map { connection in
                CaptureConnection(
                    input: description.id, output: connection.output, isEnabled: connection.isEnabled,
                    orientation: other.orientation ?? description.orientation,
                    isVideoMirrored: other.isVideoMirrored ?? description.mirrored ?? false)
            }
        }
        return changed
    }
}
