import CameraKit
import CaptureModel
import Glibc
import PosixSupport
import Testing

@testable import V4L2Camera

struct NodeAccessTests {
    private func access(
        _ code: Int32?, group: String? = "video", number: UInt32 = 44, mode: UInt32 = 0o660, isInGroup: Bool = false
    ) -> NodeAccess {
        let refusal = code.map { PosixError(code: $0, operation: "open", subject: "/dev/video9") }
        let ownership = FileAccess.Ownership(
            owner: 0, group: number, groupName: group, permissions: mode, isInGroup: isInGroup)
        return NodeAccess(FileAccess(refusal: refusal, ownership: ownership), path: "/dev/video9", .video)
    }

    @Test func anAllowedCameraWouldComeWithAdvice() {
        #expect(access(nil) == NodeAccess(.authorized, remedy: nil))
    }

    @Test func thePersonWouldNotLearnWhichGroupToJoin() throws {
        let denied = access(EACCES, group: "cameras")
        #expect(denied.status == .denied)
        let remedy = try #require(denied.remedy)
        #expect(remedy.contains("group 'cameras', which this process is not in"))
        #expect(remedy.contains("usermod -aG cameras") && remedy.contains("SupplementaryGroups=cameras"))
    }

    @Test(arguments: [(UInt32(0), UInt32(0o660)), (44, 0o600), (44, 0o640)])
    func thePersonWouldBeSentIntoAGroupThatMayNotUseTheCamera(_ group: UInt32, _ mode: UInt32) throws {
        let denied = access(EACCES, number: group, mode: mode)
        #expect(denied.status == .denied)
        let remedy = try #require(denied.remedy)
        #expect(remedy.contains(#"SUBSYSTEM=="video4linux", GROUP="video", MODE="0660""#))
        #expect(remedy.contains("udevadm trigger") && !remedy.contains("usermod"))
    }

    @Test func aMemberOfTheGroupWouldBeSentIntoTheGroup() throws {
        let remedy = try #require(access(EACCES, isInGroup: true).remedy)
        #expect(remedy.contains("getfacl /dev/video9") && remedy.contains("AppArmor") && !remedy.contains("usermod"))
    }

    @Test func aDevicePolicyWouldBeTakenForPermissions() throws {
        let restricted = access(EPERM, isInGroup: true)
        #expect(restricted.status == .restricted)
        let remedy = try #require(restricted.remedy)
        #expect(remedy.contains("DeviceAllow=char-video4linux rw") && remedy.contains("--device /dev/video9"))
    }

    @Test(arguments: [ENOENT, ENODEV, ENXIO])
    func anAbsentCameraWouldBeCalledForbidden(_ code: Int32) {
        #expect(access(code).status == .notDetermined)
    }

    @Test func aGroupWithoutANameWouldHideTheRemedy() throws {
        #expect(try #require(access(EACCES, group: nil, number: 4711).remedy).contains("number 4711"))
    }

    @Test func aCameraOfThisMachineWouldNotBeLookedAt() async {
        let camera = V4L2Camera(name: "null", identity: .path("/dev/null"))
        #expect(await camera.authorization() == .authorized)
        #expect(await camera.authorizationRemedy() == nil)
        let absent = V4L2Camera(name: "none", identity: .path("/nowhere/video0"))
        #expect(await absent.authorization() == .notDetermined)
        #expect(await absent.authorizationRemedy()?.contains("/nowhere/video0") == true)
        let error = await #expect(throws: CameraError.self) { try await absent.capabilities() }
        #expect(error?.code == .absent)
    }
}
