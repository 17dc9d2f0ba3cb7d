/** The levels of AgentGym's wrapper in its order: task `data_idx` is level `data_idx` mod 40 with seed `data_idx` div 40. */
export const agentGymLevels: readonly string[] = [
  ...['GoToRedBallGrey', 'GoToRedBall', 'GoToRedBallNoDists', 'GoToObjS6', 'GoToLocalS8N7', 'GoToObjMazeS7'],
  ...['GoToImpUnlock', 'GoToSeqS5R2', 'GoToRedBlueBall', 'GoToDoor', 'GoToObjDoor', 'Open', 'OpenRedDoor'],
  ...['OpenDoorLoc', 'OpenRedBlueDoorsDebug', 'OpenDoorsOrderN4Debug', 'Pickup', 'UnblockPickup', 'PickupLoc'],
  ...['PickupDistDebug', 'PickupAbove', 'PutNextLocalS6N4', 'PutNextS7N4Carrying', 'Unlock', 'UnlockLocalDist'],
  ...['KeyInBox', 'UnlockPickupDist', 'BlockedUnlockPickup', 'UnlockToUnlock', 'ActionObjDoor', 'FindObjS7'],
  ...['KeyCorridorS6R3', 'OneRoomS20', 'MoveTwoAcrossS8N9', 'SynthS5R2', 'SynthLoc', 'SynthSeq', 'MiniBossLevel'],
  ...['BossLevel', 'BossLevelNoUnlock'],
];
