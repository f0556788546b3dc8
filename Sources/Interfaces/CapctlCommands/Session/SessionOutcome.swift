internal import CaptureModel
internal import RigClient

/// How a command went with one camera.
struct SessionOutcome: Sendable {
    var device: DeviceID
    var result: Result<SessionResult, RigClientError>

    init(device: DeviceID, result: Result<SessionResult, RigClientError>) {
        self.device = device
        self.result = result
    }

    init(
        device: DeviceID, of client: RigClient, _ timeout: Duration,
        _ command: @Sendable (RigClient, DeviceID, Duration) async throws(RigClientError) -> SessionResult
    ) async {
        self.device = device
        do throws(RigClientError) {
            result = .success(try await command(client, device, timeout))
        } catch {
            result = .failure(error)
        }
    }
}
