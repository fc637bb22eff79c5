"""The names of settings, each with its types, as they stand in the trainers' sources at the commits of their twins.

Those of `transformers` are of 5.23.0, and of 4.57.1, which the trainers take as well. Names alone are facts; no text of
the trainers stands here. An entry is `name:types`, where i is an integer, f any number, b true or false, s text, l a
list, d a map, n null, ? anything. The lists of TRL, LLaMA-Factory and ms-swift leave out what TRAINING_ARGUMENTS has
with the same types.
"""

TRAINING_ARGUMENTS = """
    accelerator_config:dns activation_checkpointing:bn activation_checkpointing_kwargs:? adam_beta1:f adam_beta2:f
    adam_epsilon:f auto_find_batch_size:b average_tokens_across_devices:b batch_eval_metrics:b bf16:bn
    bf16_full_eval:b data_seed:in dataloader_drop_last:b dataloader_in_order:b dataloader_multiprocessing_context:ns
    dataloader_num_workers:i dataloader_persistent_workers:b dataloader_pin_memory:b dataloader_prefetch_factor:in
    ddp_backend:ns ddp_broadcast_buffers:bn ddp_bucket_cap_mb:in ddp_find_unused_parameters:bn ddp_static_graph:bn
    ddp_timeout:i debug:ls deepspeed:dns disable_tqdm:bn do_eval:b do_predict:b do_train:b enable_jit_checkpoint:b
    eval_accumulation_steps:in eval_delay:f eval_do_concat_batches:b eval_on_start:b eval_steps:fn eval_strategy:s
    eval_use_gather_object:b fp16:b fp16_full_eval:b fsdp:ns fsdp_config:? full_determinism:b
    gradient_accumulation_steps:i gradient_checkpointing:b gradient_checkpointing_kwargs:? greater_is_better:bn
    hub_always_push:b hub_model_id:ns hub_private_repo:bn hub_revision:ns hub_strategy:s hub_token:ns
    ignore_data_skip:b include_for_metrics:ls include_num_input_tokens_seen:bs label_names:lns
    label_smoothing_factor:f learning_rate:f length_column_name:s liger_kernel_config:bdns load_best_model_at_end:b
    local_rank:i log_level:s log_level_replica:s log_on_each_node:b logging_first_step:b logging_nan_inf_filter:b
    logging_steps:f logging_strategy:s lr_scheduler_kwargs:dns lr_scheduler_type:s max_grad_norm:f max_steps:i
    metric_for_best_model:ns neftune_noise_alpha:fn num_train_epochs:f optim:s optim_args:ns
    optim_target_modules:lns output_dir:ns parallelism_config:? per_device_eval_batch_size:i
    per_device_train_batch_size:i prediction_loss_only:b project:s push_to_hub:b remove_unused_columns:b
    report_to:lns restore_callback_states_from_checkpoint:b resume_from_checkpoint:ns run_name:ns
    save_on_each_node:b save_only_model:b save_steps:f save_strategy:s save_total_limit:in seed:i
    skip_memory_metrics:b tf32:bn torch_compile:b torch_compile_backend:ns torch_compile_mode:ns
    torch_empty_cache_steps:in trackio_bucket_id:ns trackio_space_id:ns trackio_static_space_id:ns
    train_sampling_strategy:s use_cache:b use_cpu:b use_liger_kernel:b warmup_steps:f weight_decay:f
"""

# What transformers 4.57.1 has besides, or with other types.
TRAINING_ARGUMENTS_4 = """
    adafactor:b fp16_backend:s fp16_opt_level:s fsdp:lns fsdp_min_num_params:i fsdp_transformer_layer_cls_to_wrap:ns
    group_by_length:b half_precision_backend:s include_inputs_for_metrics:b include_tokens_per_second:b
    jit_mode_eval:b logging_dir:ns mp_parameters:s no_cuda:b overwrite_output_dir:b past_index:i
    per_gpu_eval_batch_size:in per_gpu_train_batch_size:in push_to_hub_model_id:ns push_to_hub_organization:ns
    push_to_hub_token:ns ray_scope:ns save_safetensors:b torchdynamo:ns tpu_metrics_debug:b tpu_num_cores:in
    use_legacy_prediction_loop:b use_mps_device:b warmup_ratio:f warmup_steps:f
"""

TRL_SCRIPTS = """
    attn_implementation:ns bnb_4bit_quant_storage:ns bnb_4bit_quant_type:s dataset_config:ns dataset_name:ns
    dataset_streaming:b dataset_test_split:s dataset_train_split:s datasets:l dtype:ns env:d ignore_bias_buffers:b
    load_in_4bit:b load_in_8bit:b lora_alpha:i lora_dropout:f lora_modules_to_save:lns lora_r:i
    lora_target_modules:lns lora_target_parameters:lns lora_task_type:s model_name_or_path:ns model_revision:s
    streaming:b test_split_size:fn use_bnb_nested_quant:b use_dora:b use_peft:b use_rslora:b
"""

TRL_SFT = """
    activation_offloading:b assistant_only_loss:b chat_template_path:ns completion_only_loss:bn dataset_kwargs:?
    dataset_num_proc:in dataset_text_field:s eos_token:ns eval_packing:bn loss_type:ns max_length:in
    model_init_kwargs:? packing:b packing_strategy:s pad_to_multiple_of:in pad_token:ns padding_free:b
    router_aux_loss_coef:f shuffle_dataset:b truncation_mode:s trust_remote_code:b
"""

TRL_GRPO = """
    beta:f cache_implementation:ns cast_lm_head_to_fp32:b chat_template_kwargs:dn delta:fn disable_dropout:b
    ds3_gather_for_generation:b entropy_coef:f entropy_coef_delta:f entropy_coef_max:f entropy_coef_min:f
    entropy_target:f epsilon:f epsilon_high:fn generation_batch_size:in generation_kwargs:dn
    importance_sampling_level:s log_completions:b log_completions_hub_repo:ns log_multimodal:b log_unique_prompts:b
    loss_type:s mask_truncated_completions:b max_completion_length:in max_tool_calling_iterations:in min_p:fn
    model_init_kwargs:? multi_objective_aggregation:s num_completions_to_print:in num_generations:in
    num_generations_eval:in num_iterations:i off_policy_mask_threshold:fn pad_to_multiple_of:in
    ref_model_mixup_alpha:f ref_model_sync_steps:i remove_unused_columns:bn repetition_penalty:f reward_funcs:lns
    reward_model_name_or_path:ns reward_weights:fln router_aux_loss_coef:f sapo_temperature_neg:f
    sapo_temperature_pos:f scale_rewards:s shuffle_dataset:bn steps_per_generation:in sync_ref_model:b temperature:f
    top_entropy_quantile:f top_k:i top_p:f transformers_continuous_batching_config:dn trust_remote_code:b
    use_adaptive_entropy:b use_bias_correction_kl:b use_transformers_continuous_batching:b use_transformers_paged:b
    use_vllm:b vespo_k_neg:f vespo_k_pos:f vespo_lambda_neg:f vespo_lambda_pos:f vllm_enable_sleep_mode:b
    vllm_gpu_memory_utilization:f vllm_group_port:i vllm_importance_sampling_cap:fn
    vllm_importance_sampling_clip_max:fn vllm_importance_sampling_clip_min:fn vllm_importance_sampling_correction:b
    vllm_importance_sampling_mode:s vllm_max_model_length:in vllm_mode:s vllm_model_impl:s vllm_server_base_url:ns
    vllm_server_host:s vllm_server_port:i vllm_server_timeout:f vllm_structured_outputs_regex:ns
    vllm_tensor_parallel_size:i
"""

TRL_DPO = """
    activation_offloading:b beta:f dataset_num_proc:in disable_dropout:b discopop_tau:f f_alpha_divergence_coef:f
    f_divergence_type:s label_smoothing:f ld_alpha:fn loss_type:ls loss_weights:fln max_length:in
    model_init_kwargs:? pad_to_multiple_of:in pad_token:ns padding_free:b precompute_ref_batch_size:in
    precompute_ref_log_probs:b ref_model_mixup_alpha:f ref_model_sync_steps:i router_aux_loss_coef:f
    sync_ref_model:b truncation_mode:s trust_remote_code:b use_weighting:b
"""

TRL_KTO = """
    activation_offloading:b beta:f dataset_num_proc:in desirable_weight:f disable_dropout:b loss_type:s
    max_length:in model_init_kwargs:? pad_to_multiple_of:in precompute_ref_batch_size:in precompute_ref_log_probs:b
    ref_model_mixup_alpha:f ref_model_sync_steps:i router_aux_loss_coef:f sync_ref_model:b trust_remote_code:b
    undesirable_weight:f
"""

TRL_REWARD = """
    activation_offloading:b center_rewards_coefficient:fn chat_template_path:ns dataset_num_proc:in
    disable_dropout:b eos_token:ns max_length:in model_init_kwargs:? pad_to_multiple_of:in pad_token:ns
    trust_remote_code:b
"""

LIGHTRFT_RL = """
    actor_init_on_gpu:b actor_learning_rate:f adam_betas:l adam_offload:b advantage_clip:f advantage_estimator:s
    advantages_norm:b apply_chat_template:b aux_loss_coef:f bf16:b chunk_size:i ckpt_path:s critic_learning_rate:f
    critic_pretrain:ns disable_ds_ckpt:b disable_engine_sleep:b disable_fast_tokenizer:b
    disable_logprobs_flashattn:b dynamic_sampling:b enable_ema:b enable_engine_sleep:b engine_mem_util:f
    engine_tp_size:i engine_type:s eps_clip:f eval_data:ns eval_split:s eval_steps:i first_token_temperature:f
    flash_attn:b freeze_prefix:b freezing_actor_steps:i fsdp:b fsdp_cpu_offload:b fused_linear_logprob:b gamma:f
    generate_max_len:i grad_accum_dtype:ns gradient_checkpointing:b gradient_checkpointing_use_reentrant:b
    high_entropy_token_ratio:f images_key:s init_kl_coef:f initial_model_shard_size:in input_key:s input_template:ns
    kl_estimator:s kl_target:fn l2:f label_key:s lambd:f limit_mm_image_per_prompt:i load_checkpoint:b
    load_in_4bit:b local_rank:i log_dir:ns logging_steps:i lora_alpha:i lora_dropout:f lora_rank:i loss_agg_mode:s
    lr_warmup_ratio:f mark_high_entropy_tokens:b max_ckpt_mem:i max_ckpt_num:i max_epochs:i max_eval_samples:i
    max_len:in max_norm:f max_samples:i meta_init:b micro_rollout_batch_size:i micro_train_batch_size:i
    mixed_mm_data:b n_samples_per_prompt:i no_shard_vit:b normalize_advantages:b normalize_reward_for_critic:b
    num_episodes:i num_trajectories_to_save:i overlap_comm:b overlong_buffer:b overlong_buffer_len:i
    overlong_buffer_penalty_factor:f packing_samples:b plot_every:i pretrain:ns pretrain_data:ns
    pretrain_data_probs:s pretrain_split:s print_replay_buffer_stats:b prompt_data:ns prompt_data_probs:s
    prompt_max_len:i prompt_split:s ptx_coef:f reference_key:s remote_rm_url:ns reward_clip:f reward_pretrain:ns
    reward_running_norm:b reward_running_norm_minus_mean:b rm_engine_cudagraph:b rm_use_engine:b
    rollout_batch_size:i save_hf_ckpt:b save_path:s save_steps:i save_trajectories:b save_value_network:b seed:i
    sp_size:i system_prompt:ns target_modules:l temperature:f text_only:b top_p:f train_batch_size:i
    trajectory_analysis:b use_cpg_loss:b use_fire:b use_gspo:b use_kl_loss:b use_mp_opt:b use_ms:b
    use_sequence_rewards:b use_tensorboard:ns use_wandb:ns value_clip:f value_head_prefix:s wandb_group:ns
    wandb_org:ns wandb_project:s wandb_run_name:s zero_stage:i zpg:i
"""

MINIONEREC_SFT = """
    base_model:s batch_size:i category:s cutoff_len:i eval_file:s freeze_LLM:b group_by_length:b item_meta_path:s
    learning_rate:f micro_batch_size:i num_epochs:i output_dir:s resume_from_checkpoint:s sample:i seed:i
    sid_index_path:s train_file:s train_from_scratch:b wandb_project:s wandb_run_name:s
"""

MINIONEREC_RL = """
    ada_path:s add_gt:b beam_search:b beta:f category:s cf_path:s dapo:b dynamic_sampling:b eval_batch_size:i
    eval_file:s eval_step:f gradient_accumulation_steps:i gspo:b info_file:s item_meta_path:s learning_rate:f
    mask_all_zero:b model_path:s num_generations:i num_train_epochs:i output_dir:s reward_type:s sample_train:b
    seed:i sid_index_path:s sync_ref_model:b temperature:f test_beam:i test_during_training:b train_batch_size:i
    train_file:s wandb_project:s wandb_run_name:s
"""

MLX_GRPO = """
    adam_beta1:f adam_beta2:f batch_size:i clip_eps:f eval_every_updates:i eval_max_new_tokens:i eval_samples:i
    eval_steps:i eval_subset_size:i gradient_accumulation_steps:i kl_coeff:f learning_rate:f log_jsonl:b
    logging_steps:i lr_scheduler_type:s max_completion_length:i max_grad_norm:f max_new_tokens:i max_prompt_length:i
    max_train_samples:i model_name:s num_epochs:i num_generations:i output_dir:s quantize_for_rollouts:b run_name:s
    save_steps:i seed:i temperature:f use_compile:b warmup_ratio:f weight_decay:f
"""

PPLMX_LLM = """
    checkpoint:d checkpoint.checkpoint_dir:s checkpoint.keep_last_n:i checkpoint.resume_from_checkpoint:ns
    checkpoint.save_best:b checkpoint.save_interval:i data:d data.data_source:s data.dataset_config:ns
    data.dataset_name:ns data.dataset_path:ns data.dataset_split:s data.hash_algo:s data.max_seq_len:i
    data.seen_hashes_path:ns data.skip_undecodable_rows:b data.steps_per_epoch:in data.text_column:s
    data.tokenizer_path:ns data.tokenizer_type:s data.val_dataset_path:ns data.write_seen_hashes:b distributed:d
    distributed.backend:s distributed.collective_timeout_seconds:i distributed.fsdp_auto_wrap_min_params:i
    distributed.fsdp_cpu_offload:b distributed.fsdp_mixed_precision:s distributed.gpus_per_node:in
    distributed.master_addr:s distributed.master_port:s distributed.node_rank:i distributed.num_nodes:i
    distributed.parallel_strategy:s distributed.tp_size:i logging:d logging.log_dir:s logging.log_interval:i
    logging.log_level:s logging.save_logs:b model:d model.attn_impl:s model.dropout:f model.hidden_size:i
    model.intermediate_size:in model.lm_head_bias:b model.max_seq_len:i model.mlp_activation:s model.mlp_bias:b
    model.mlp_impl:s model.norm_first:b model.norm_impl:s model.num_experts:i model.num_heads:i
    model.num_kv_heads:in model.num_layers:i model.pos_encoding_learned:b model.qkv_bias:b model.rope_theta:f
    model.top_k:i model.use_alibi:b model.use_glu:b model.use_kv_cache:b model.use_rope:b model.vocab_size:i
    optimization:d optimization.amp_dtype:s optimization.compile_dynamic:bn optimization.compile_mode:s
    optimization.gradient_accumulation_steps:i optimization.num_workers:i optimization.persistent_workers:b
    optimization.pin_memory:b optimization.prefetch_factor:i optimization.use_amp:b optimization.use_compile:b ppo:d
    ppo.clip_epsilon:f ppo.entropy_coef:f ppo.gae_lambda:f ppo.gamma:f ppo.kl_coef:f ppo.max_grad_norm:f
    ppo.mini_batch_size:i ppo.normalize_advantages:b ppo.normalize_rewards:b ppo.policy_lr:fn ppo.ppo_epochs:i
    ppo.ref_model_update_freq:i ppo.response_max_len:i ppo.rollout_batch_size:i ppo.target_kl:fn ppo.temperature:f
    ppo.top_k:in ppo.top_p:fn ppo.use_ref_model:b ppo.value_coef:f ppo.value_lr:fn rlhf:d rlhf.reward_model_path:ns
    training:d training.adalora_alpha:f training.adalora_ema_alpha:f training.adalora_init_rank:i
    training.adalora_orth_reg_weight:f training.adalora_prune_every:i training.adalora_target_modules:lns
    training.adalora_target_rank:i training.adalora_tfinal:in training.adalora_tinit:i
    training.adapter_bottleneck_dim:i training.adapter_target_modules:lns training.batch_size:i
    training.bitfit_target_modules:lns training.dpo_beta:f training.epochs:i training.gradient_clip_val:f
    training.ia3_init_scale:f training.ia3_target_modules:lns training.learning_rate:f training.lr:f
    training.max_steps:i training.num_samples:i training.peft_kwargs:? training.peft_method:ns
    training.peft_save_path:ns training.prefix_reparam_hidden:in training.prefix_target_modules:lns
    training.prefix_tuning_len:i training.run_validation:b training.scheduler_type:s training.use_adalora:b
    training.use_adapter:b training.use_bitfit:b training.use_ia3:b training.use_prefix_tuning:b
    training.warmup_epochs:i training.weight_decay:f
"""

VERL_DATA = """
    apply_chat_template_kwargs:? custom_cls:? datagen:? dataloader_num_workers:? filter_overlong_prompts:?
    filter_overlong_prompts_workers:? image_key:? image_patch_size:? max_prompt_length:? max_response_length:?
    prompt_key:? return_full_prompt:? return_multi_modal_inputs:? return_raw_chat:? return_raw_input_ids:?
    reward_fn_key:? sampler:? seed:? shuffle:? tokenizer:? tool_config_path:? train_batch_size:? train_files:?
    train_max_samples:? truncation:? trust_remote_code:? use_shm:? val_batch_size:? val_files:? val_max_samples:?
    validation_shuffle:? video_key:?
"""

VERL_ALGORITHM = """
    adv_estimator:? gamma:? kl_ctrl:? kl_penalty:? lam:? norm_adv_by_std_in_grpo:? pf_ppo:? rollout_correction:?
    use_kl_in_reward:? use_pf_ppo:?
"""

VERL_TRAINER = """
    balance_batch:? critic_warmup:? default_hdfs_dir:? default_local_dir:? del_local_ckpt_after_load:? device:?
    esi_redundant_time:? experiment_name:? log_val_generations:? logger:? max_actor_ckpt_to_keep:?
    max_critic_ckpt_to_keep:? n_gpus_per_node:? nnodes:? project_name:? ray_wait_register_center_timeout:?
    resume_from_path:? resume_mode:? rollout_data_dir:? save_freq:? test_freq:? total_epochs:?
    total_training_steps:? use_legacy_worker_impl:? val_before_train:? val_only:? validation_data_dir:?
"""

VERL_ACTOR = """
    calculate_entropy:? calculate_sum_pi_squared:? checkpoint:? clip_ratio:? clip_ratio_c:? clip_ratio_high:?
    clip_ratio_low:? data_loader_seed:? entropy_checkpointing:? entropy_coeff:? entropy_from_logits_with_chunking:?
    freeze_vision_tower:? fsdp_config:? grad_clip:? kl_loss_coef:? kl_loss_type:? loss_agg_mode:?
    loss_scale_factor:? optim:? policy_loss:? ppo_epochs:? ppo_max_token_len_per_gpu:? ppo_micro_batch_size:?
    ppo_micro_batch_size_per_gpu:? ppo_mini_batch_size:? profiler:? rollout_n:? router_replay:? shuffle:? strategy:?
    sum_pi_squared_checkpointing:? tau_neg:? tau_pos:? ulysses_sequence_parallel_size:? use_dynamic_bsz:?
    use_fused_kernels:? use_kl_loss:? use_prefix_grouper:? use_remove_padding:? use_torch_compile:?
"""

VERL_ROLLOUT = """
    agent:? calculate_log_probs:? checkpoint_engine:? cudagraph_capture_sizes:? data_parallel_size:?
    disable_log_stats:? do_sample:? dtype:? enable_chunked_prefill:? enable_prefix_caching:?
    enable_rollout_routing_replay:? enforce_eager:? engine_kwargs:? expert_parallel_size:? free_cache_engine:?
    gpu_memory_utilization:? ignore_eos:? layered_summon:? load_format:? log_prob_max_token_len_per_gpu:?
    log_prob_micro_batch_size:? log_prob_micro_batch_size_per_gpu:? log_prob_use_dynamic_bsz:? logprobs_mode:?
    max_model_len:? max_num_batched_tokens:? max_num_seqs:? mode:? mtp:? multi_stage_wake_up:? multi_turn:? n:?
    name:? over_sample_rate:? pipeline_model_parallel_size:? profiler:? prometheus:? prompt_length:? quantization:?
    quantization_config_file:? response_length:? scheduling_policy:? skip_dump_dir:? skip_rollout:?
    skip_tokenizer_init:? temperature:? tensor_model_parallel_size:? top_k:? top_p:? trace:? val_kwargs:?
"""

VERL_OPTIM = """
    betas:? clip_grad:? lr:? lr_scheduler_type:? lr_warmup_steps:? lr_warmup_steps_ratio:? min_lr_ratio:?
    num_cycles:? optimizer:? optimizer_impl:? override_optimizer_config:? total_training_steps:? warmup_style:?
    weight_decay:?
"""

LLAMAFACTORY = """
    adapter_folder:ns adapter_name_or_path:ns add_special_tokens:ns add_tokens:ns additional_target:lns
    apollo_layerwise:b apollo_proj:s apollo_proj_type:s apollo_rank:i apollo_scale:f apollo_scale_front:b
    apollo_scale_type:s apollo_target:ls apollo_update_interval:i asft_alpha:f audio_sampling_rate:i
    badam_mask_mode:s badam_mode:s badam_start_block:in badam_switch_interval:in badam_switch_mode:ns
    badam_update_ratio:f badam_verbose:i bf16:b buffer_size:i cache_dir:ns compute_accuracy:b create_new_adapter:b
    crop_to_patches:b cutoff_len:i data_shared_file_system:b dataset:lns dataset_dir:s default_system:ns
    disable_gradient_checkpointing:b disable_shuffling:b do_sample:b double_quantization:b dpo_label_smoothing:f
    eaft_alpha:f early_stopping_steps:in enable_liger_kernel:b enable_thinking:bn enable_torch_profiler:b
    eval_dataset:lns eval_num_beams:in eval_on_each_dataset:b export_device:s export_dir:ns export_hub_model_id:ns
    export_legacy_format:b export_quantization_bit:in export_quantization_dataset:ns export_quantization_maxlen:i
    export_quantization_nsamples:i export_size:i finetuning_type:s flash_attn:s fp8:b fp8_backend:s
    fp8_enable_fsdp_float8_all_gather:b freeze_extra_modules:lns freeze_language_model:b
    freeze_multi_modal_projector:b freeze_trainable_layers:i freeze_trainable_modules:ls freeze_vision_tower:b
    galore_layerwise:b galore_proj_type:s galore_rank:i galore_scale:f galore_target:ls galore_update_interval:i
    generation_config:ns generation_max_length:in generation_num_beams:in gradient_checkpointing:bn hf_hub_token:ns
    hyper_parallel_args:ns hyper_parallel_cp_size:i ignore_pad_token_for_loss:b image_do_pan_and_scan:b
    image_max_pixels:i image_min_pixels:i include_effective_tokens_per_second:b infer_backend:s infer_dtype:fs
    init_special_tokens:s interleave_probs:lns kt_cpu_activation:ns kt_expert_checkpoint_path:ns
    kt_lora_expert_intermediate_size:in kt_lora_expert_num:in kt_non_expert_weight_path:ns kt_use_lora_experts:bn
    kt_weight_path:ns kto_chosen_weight:f kto_rejected_weight:f ld_alpha:fn length_penalty:f lora_alpha:in
    lora_dropout:f lora_rank:i lora_target:ls loraplus_lr_embedding:f loraplus_lr_ratio:fn low_cpu_mem_usage:b
    mask_history:b master_addr:ns master_port:ns max_length:i max_new_tokens:i max_samples:in media_dir:ns
    mix_strategy:s mixture_of_depths:ns model_name_or_path:ns model_revision:s module_dropout:f moe_aux_loss_coef:fn
    ms_hub_token:ns neat_packing:b new_special_tokens_config:ns num_beams:i offload_folder:s oft_block_size:i
    oft_rank:i oft_target:ls om_hub_token:ns overwrite_cache:b overwrite_output_dir:b packing:bn pissa_convert:b
    pissa_init:b pissa_iter:i plot_loss:b ppo_buffer_size:i ppo_epochs:i ppo_score_norm:b ppo_target:f
    ppo_whiten_rewards:b predict_with_generate:b pref_bco_weight:f pref_beta:f pref_ftx:f pref_loss:s
    preprocessing_batch_size:i preprocessing_num_workers:in preserve_thinking:b print_param_status:b
    profile_modules:ns profiler_active_steps:i profiler_output_dir:ns profiler_profile_memory:b
    profiler_record_shapes:b profiler_repeat:i profiler_wait_steps:i profiler_warmup_steps:i profiler_with_stack:b
    pure_bf16:b quantization_bit:in quantization_device_map:ns quantization_method:s quantization_type:s
    ray_init_kwargs:dns ray_num_workers:i ref_model:ns ref_model_adapters:ns ref_model_quantization_bit:in
    repetition_penalty:f resize_vocab:b reward_model:ns reward_model_adapters:ns reward_model_quantization_bit:in
    reward_model_type:s rope_scaling:ns sglang_config:dns sglang_lora_backend:s sglang_maxlen:i
    sglang_mem_fraction:f sglang_tp_size:i shift_attn:b simpo_gamma:f skip_special_tokens:b sortish_sampler:b
    split_special_tokens:b stage:s streaming:b swanlab_api_key:ns swanlab_lark_secret:ns swanlab_lark_webhook_url:ns
    swanlab_logdir:ns swanlab_mode:s swanlab_project:ns swanlab_run_name:ns swanlab_workspace:ns temperature:f
    template:ns tokenized_path:ns tool_format:ns top_k:i top_p:f train_from_scratch:b train_on_prompt:b
    trust_remote_code:b upcast_layernorm:b upcast_lmhead_output:b use_adam_mini:b use_apollo:b use_asft_loss:b
    use_audio_in_video:b use_badam:b use_dft_loss:b use_dora:b use_eaft_loss:b use_fast_tokenizer:b use_galore:b
    use_hyper_parallel:b use_kt:b use_kv_cache:b use_llama_pro:b use_mca:b use_megatron_bridge:b use_muon:b
    use_reentrant_gc:b use_rslora:b use_swanlab:b use_unsloth:b use_unsloth_gc:b use_v1_kernels:bn val_size:f
    video_fps:f video_max_pixels:i video_maxlen:i video_min_pixels:i vllm_config:dns vllm_enforce_eager:b
    vllm_gpu_util:f vllm_max_lora_rank:i vllm_maxlen:i
"""

LLAMAFACTORY_DATASET = """
    cloud_file_name:ns columns:d columns.audios:ns columns.chosen:ns columns.history:ns columns.images:ns
    columns.kto_tag:ns columns.messages:ns columns.prompt:ns columns.query:ns columns.rejected:ns
    columns.response:ns columns.system:ns columns.tools:ns columns.videos:ns file_name:ns folder:ns formatting:s
    hf_hub_url:ns ms_hub_url:ns num_samples:in om_hub_url:ns ranking:b script_url:ns split:ns subset:ns tags:d
    tags.assistant_tag:ns tags.content_tag:ns tags.function_tag:ns tags.observation_tag:ns tags.role_tag:ns
    tags.system_tag:ns tags.user_tag:ns
"""

MS_SWIFT_SFT = """
    ENV:d acc_strategy:s adalora_beta1:f adalora_beta2:f adalora_deltaT:i adalora_init_r:i adalora_orth_reg_weight:f
    adalora_target_r:i adalora_tfinal:i adalora_tinit:i adapter_act:s adapter_length:i adapters:ls
    add_non_thinking_prefix:b add_version:b agent_template:ns aligner_lr:fn attn_impl:ns bnb_4bit_compute_dtype:fns
    bnb_4bit_quant_storage:ns bnb_4bit_quant_type:s bnb_4bit_use_double_quant:b boft_block_num:i boft_block_size:i
    boft_dropout:f boft_n_butterfly_factor:i cached_dataset:ls cached_val_dataset:ls callbacks:ls check_model:b
    columns:dns create_checkpoint_symlink:b custom_dataset_info:ls custom_register_path:ls data_seed:i
    dataloader_num_workers:in dataset:ls dataset_num_proc:i dataset_shuffle:b deepspeed_autotp_size:in
    device_groups:ns device_map:dns disable_auto_column_mapping:b disable_ignore_empty_think:b download_mode:s
    ds3_gather_for_generation:b early_stop_interval:in enable_channel_loss:b enable_dft_loss:b
    enable_npu_model_patch:b enable_thinking:bn eval_dataset:ls eval_dataset_args:dns eval_generation_config:dns
    eval_limit:in eval_metric:ns eval_strategy:ns eval_use_evalscope:b experts_impl:ns external_plugins:ls
    extra_eval_args:dns fourier_n_frequency:i fourier_scaling:f fp16:bn freeze_aligner:b freeze_llm:b
    freeze_parameters:ls freeze_parameters_ratio:f freeze_parameters_regex:ns freeze_vit:b galore_cos_threshold:f
    galore_gamma_proj:i galore_optim_per_parameter:b galore_proj_bits:i galore_proj_group_size:i galore_proj_quant:b
    galore_proj_type:s galore_quantization:b galore_queue_size:i galore_rank:i galore_scale:f
    galore_target_modules:lns galore_update_proj_gap:i galore_with_embedding:b generation_config:ns
    generation_max_length:in generation_num_beams:in gradient_accumulation_steps:in
    gradient_checkpointing_kwargs:dns group_by_length:b hqq_axis:in ignore_args_error:b init_strategy:s
    init_weights:s interleave_prob:flns is_binary_loss_scale:bn lazy_tokenize:bn learning_rate:fn
    lisa_activated_layers:i lisa_step_interval:i llamapro_num_groups:in llamapro_num_new_blocks:i load_args:b
    load_data_args:b load_from_cache_file:b local_repo_path:ns logging_dir:ns logging_steps:i logprobs:b
    lora_alpha:i lora_bias:s lora_dropout:f lora_dtype:fns lora_ga_batch_size:i lora_ga_direction:s lora_ga_iters:i
    lora_ga_max_length:i lora_ga_scale:s lora_ga_stable_gamma:i lora_rank:i lorap_lr_ratio:fn loss_scale:s
    loss_type:ns max_epochs:in max_length:in max_memory:dns max_model_len:in max_new_tokens:i max_pixels:in
    max_shard_size:s model:ns model_author:lns model_kwargs:dns model_name:lns model_revision:ns model_type:ns
    modules_to_save:ls mrl_dims:dns new_special_tokens:ls norm_bbox:ns num_beams:i num_labels:in optimizer:ns
    packing:b packing_length:in packing_num_proc:i packing_strategy:s padding_free:b padding_side:s
    predict_with_generate:b preserve_thinking:bn problem_type:s quant_bits:fs quant_method:s ray_exp_name:ns
    reft_args:ns reft_intervention_type:s reft_layer_key:ns reft_layers:ilns reft_rank:i repetition_penalty:fn
    report_to:ls response_prefix:ns resume_only_model:b rope_scaling:ns router_aux_loss_coef:f safe_serialization:b
    sequence_parallel_size:i shuffle_buffer_size:i sortish_sampler:b split_dataset_ratio:f stop_words:ls
    stopping_strategy:s stream:bn streaming:b strict:b structured_outputs_regex:ns swanlab_email_language:ns
    swanlab_exp_name:ns swanlab_mode:s swanlab_notification_method:ns swanlab_project:s swanlab_receiver_email:ns
    swanlab_secret:ns swanlab_sender_email:ns swanlab_smtp_port:in swanlab_smtp_server:ns swanlab_token:ns
    swanlab_webhook_url:ns swanlab_workspace:ns system:ns target_modules:ls target_parameters:lns target_regex:ns
    task_type:s temperature:f template:ns template_backend:s top_k:in top_logprobs:in top_p:fn torch_dtype:fns
    train_dataloader_shuffle:b trainable_parameters:ls trainable_parameters_regex:ns truncation_strategy:ns
    tuner_backend:s tuner_type:s use_chat_template:bn use_dora:b use_flash_ckpt:b use_galore:b use_hf:b
    use_logits_to_keep:bn use_ray:b use_rslora:b use_swift_lora:b val_dataset:ls val_dataset_shuffle:b
    vera_d_initial:f vera_dropout:f vera_projection_prng_key:i vera_rank:i vit_gradient_checkpointing:bn vit_lr:fn
    warmup_ratio:f zero_hpz_partition_size:in
"""

MS_SWIFT_RLHF = """
    advantage_estimator:s advantage_reweight:ns async_generate:b beta:fn center_rewards_coefficient:fn
    chord_enable_phi_function:b chord_mu_decay_steps:in chord_mu_peak:fn chord_mu_valley:fn chord_mu_warmup_steps:in
    chord_sft_dataset:ls chord_sft_per_device_train_batch_size:in cliprange:f cliprange_value:f
    completion_length_limit_scope:s cosine_max_len:in cosine_max_len_value_correct:f cosine_max_len_value_wrong:f
    cosine_min_len_value_correct:f cosine_min_len_value_wrong:f cpo_alpha:f dataset_shuffle:bn delta:fn
    desirable_weight:f discopop_tau:f dynamic_sample:b enable_flattened_weight_sync:b epsilon:f epsilon_high:fn
    fipo_clip_high_only:b fipo_clip_range:fn fipo_decay_rate:f fipo_safety_threshold:fn gamma:f
    generation_batch_size:in gkd_logits_topk:in gym_env:ns importance_sampling_level:s kl_coef:f kl_in_reward:bn
    label_smoothing:f lam:f ld_alpha:fn lmbda:f local_rollout_forward_batch_size:i log_completions:b log_entropy:b
    log_rollout_offpolicy_metrics:b loss_scale:ns loss_type:lns loss_weights:flns max_completion_length:i
    max_new_tokens:in max_resample_times:i max_turns:in min_p:f missing_eos_penalty:fn move_model_batches:in
    multi_turn_scheduler:ns num_generations:i num_generations_eval:in num_iterations:i num_mini_batches:i
    num_ppo_epochs:i num_sample_generations:i off_policy_sequence_mask_delta:fn offload_model:b offload_optimizer:b
    offload_teacher_model:b overlong_filter:b real_tau:f ref_adapters:ls ref_model:ns ref_model_mixup_alpha:f
    ref_model_revision:ns ref_model_sync_steps:i ref_model_type:ns repetition_max_penalty:f repetition_n_grams:i
    repetition_penalty:f response_length:in reward_adapters:ls reward_funcs:ls reward_model:lns
    reward_model_plugin:lns reward_model_revision:lns reward_model_type:lns reward_template:lns reward_weights:fls
    rlhf_type:s rlsd_lambda:f rlsd_lambda_decay_steps:i rlsd_lambda_warmup_steps:i rlsd_negative_only:b
    rlsd_reweight_clip_range:f rollout_importance_sampling_mode:ns rollout_importance_sampling_threshold:f
    rpo_alpha:fn scale_rewards:ns sdar_gate_beta:f sdar_loss_coef:f seq_kd:b sft_alpha:f simpo_gamma:f sleep_level:i
    soft_cache_length:in soft_max_length:in steps_per_generation:in sync_ref_model:b tau_neg:f tau_pos:f
    teacher_adapters:ls teacher_deepspeed:ns teacher_kl_coef:f teacher_model:ns teacher_model_revision:ns
    teacher_model_server:ns teacher_model_type:ns teacher_tag_key:s top_entropy_quantile:f top_k:i top_p:f
    undesirable_weight:f use_gym_env:bn use_vllm:b vf_coef:f vllm_data_parallel_size:i vllm_disable_cascade_attn:b
    vllm_disable_custom_all_reduce:b vllm_enable_expert_parallel:b vllm_enable_lora:b vllm_enable_prefix_caching:b
    vllm_enforce_eager:b vllm_engine_kwargs:dns vllm_gpu_memory_utilization:f vllm_limit_mm_per_prompt:dns
    vllm_max_lora_rank:i vllm_max_model_len:in vllm_max_num_seqs:in vllm_mm_processor_cache_gb:fn vllm_mode:ns
    vllm_pipeline_parallel_size:i vllm_quantization:ns vllm_reasoning_parser:ns vllm_server_base_url:lns
    vllm_server_group_port:ilns vllm_server_host:lns vllm_server_pass_dataset:b vllm_server_port:ils
    vllm_server_timeout:f vllm_speculative_config:dns vllm_tensor_parallel_size:i vllm_use_async_engine:bn
    wandb_log_unique_prompts:bn whiten_rewards:b
"""

LIGHTRFT_SFT = """
    multiturn:b output_key:ns pretrain_mode:b tokenizer_chat_template:ns
"""

VERL_SFT_DATA = """
    apply_chat_template_kwargs:? balance_dp_token:? custom_cls:? enable_thinking_key:? ignore_input_ids_mismatch:?
    image_key:? image_patch_size:? max_length:? max_token_len_per_gpu:? messages_key:? micro_batch_size_per_gpu:?
    num_workers:? pad_mode:? seed:? shuffle:? tools_key:? train_batch_size:? train_files:? train_max_samples:?
    truncation:? use_dynamic_bsz:? use_shm:? val_files:? val_max_samples:? video_key:?
"""

VERL_SFT_TRAINER = """
    default_hdfs_dir:? default_local_dir:? device:? experiment_name:? logger:? max_ckpt_to_keep:? n_gpus_per_node:?
    nnodes:? profile_interval:? project_name:? resume_from_path:? resume_mode:? save_freq:? seed:? test_freq:?
    total_epochs:? total_training_steps:?
"""

VERL_SFT_MODEL = """
    custom_chat_template:? enable_activation_offload:? enable_gradient_checkpointing:? exclude_modules:?
    external_lib:? fused_kernel_options:? hf_config_path:? lora_adapter_path:? lora_alpha:? lora_rank:? mtp:?
    override_config:? path:? target_modules:? tiled_mlp:? tokenizer_path:? trust_remote_code:? use_fused_kernels:?
    use_liger:? use_remove_padding:? use_shm:?
"""

VERL_SFT_OPTIM = """
    lr_decay_ratio:? lr_decay_steps:? lr_decay_style:? lr_min:? lr_start:? lr_warmup_init:? lr_wsd_decay_steps:?
    lr_wsd_decay_style:? min_lr:? use_checkpoint_opt_param_scheduler:? weight_decay_incr_style:?
"""
