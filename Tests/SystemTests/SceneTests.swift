import Foundation
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct SceneTests {
        @Test("A lamp that goes on before a camera is not told, or told of a camera that nobody asked about")
        func lamp() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 2) { camera in
                    (camera.width, camera.height) = (1280, 720)
                    if camera.number == 1 { camera.settings = ["sceneChange: true", "sceneChangeThreshold: 30"] }
                })
            // Long enough for the scene to be learnt.
            try await rig.awaitRing(reaching: .milliseconds(2500))
            for camera in ["node1/cam2", "node1/cam1"] {
                let outcome = try await rig.capctl.run("devices", "set", camera, "flash_led_mode=2")
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            let watch = try await rig.capctl.run("watch", "--replay", "--count", "1", "--format", "json")
            let event = try watch.json(EventLine.self)
            #expect(event.name == "device.sceneChanged" && event.device == "node1/cam1")
            #expect((30...80).contains(Int(event.details["difference"] ?? "") ?? 0), "\(event)")
            #expect(event.details["count"] == "1")
            try await rig.end()
        }
    }
}
